#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/io/gguf.h"
#include "core/result.h"
#include "core/tokenizers/model_tokenizer.h"

namespace headscope {

/// Opens the tokenizer of a model from a folder or file. In a folder, uses the first of these, like Hugging
/// Face's fast tokenizers: tokenizer.json; vocab.json with merges.txt; vocab.txt; tokenizer.model,
/// spiece.model, sentencepiece.bpe.model or spm.model; *.tiktoken. The configuration next to the file
/// (tokenizer_config.json, special_tokens_map.json, added_tokens.json, config.json, generation_config.json)
/// names the special tokens and, except for tokenizer.json, the model family, which determines normalization
/// and post-processing. GGUF files have a tokenizer in their metadata. Errors give the file, the position,
/// and the unsupported feature.
Result<std::shared_ptr<const ModelTokenizer>> open_tokenizer(const std::filesystem::path& path);

/// Whether a folder has Marian's tokenizer files.
bool has_marian_tokenizer(const std::filesystem::path& folder);
/// The tokenizer of Marian's sources (source.spm) or targets (target.spm): a sentencepiece model per
/// language, with the shared ids of vocab.json, and </s> after each text. Errors name the file.
Result<std::shared_ptr<const ModelTokenizer>> open_marian_tokenizer(const std::filesystem::path& folder,
                                                                    const char* model_name);

/// Makes the tokenizer in the metadata of a GGUF file, which need not outlive it. tokenizer.ggml.model is the
/// algorithm: llama (sentencepiece BPE), gpt2 (byte-level BPE after the pre-tokenizer tokenizer.ggml.pre),
/// bert (lower-case WordPiece as in llama.cpp) or t5 (Unigram). Matches control tokens in texts, like Hugging
/// Face's tokenizers. Fails if there is no tokenizer, its arrays are inconsistent, or its kind is not
/// supported.
Result<std::shared_ptr<const ModelTokenizer>> gguf_tokenizer(const Gguf& file);

}  // namespace headscope
