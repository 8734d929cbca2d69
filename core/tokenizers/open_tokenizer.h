#pragma once

#include <filesystem>
#include <memory>

#include "core/result.h"
#include "core/tokenizers/model_tokenizer.h"

namespace headscope {

/// Opens the tokenizer of a model: a folder, or a file of one. In a folder the first of these is taken, as
/// Hugging Face's fast tokenizers would: tokenizer.json; vocab.json with merges.txt; vocab.txt;
/// tokenizer.model, spiece.model or sentencepiece.bpe.model; *.tiktoken. The configuration beside the file
/// (tokenizer_config.json, special_tokens_map.json, added_tokens.json, config.json, generation_config.json)
/// names the special tokens and, for all but tokenizer.json, the kind of model, which decides what is done
/// before and after. Errors name the file and the place in it, and what is not supported by its name.
Result<std::shared_ptr<const ModelTokenizer>> open_tokenizer(const std::filesystem::path& path);

}  // namespace headscope
