#pragma once

#include <filesystem>
#include <memory>

#include "core/result.h"
#include "core/tokenizers/model_tokenizer.h"

namespace headscope {

/// Opens the tokenizer of a model from a folder or a file. In a folder, the first of these files is used, as
/// Hugging Face's fast tokenizers would: tokenizer.json; vocab.json with merges.txt; vocab.txt;
/// tokenizer.model, spiece.model or sentencepiece.bpe.model; *.tiktoken. The configuration next to the file
/// (tokenizer_config.json, special_tokens_map.json, added_tokens.json, config.json, generation_config.json)
/// names the special tokens. For all files except for tokenizer.json, it also names the kind of model, which
/// decides what is done before and after splitting. A GGUF file, whatever it is called, holds a tokenizer in
/// its metadata. Errors name the file, the place in it, and whatever is not supported.
Result<std::shared_ptr<const ModelTokenizer>> open_tokenizer(const std::filesystem::path& path);

/// Whether a folder has the files of Marian's tokenizers.
bool has_marian_tokenizer(const std::filesystem::path& folder);
/// The tokenizer of Marian's sources (source.spm) or targets (target.spm): a sentencepiece model for each
/// language, whose pieces have the ids that vocab.json gives to both, and </s> behind each text. Errors name
/// the file.
Result<std::shared_ptr<const ModelTokenizer>> open_marian_tokenizer(const std::filesystem::path& folder,
                                                                    const char* model_name);

}  // namespace headscope
