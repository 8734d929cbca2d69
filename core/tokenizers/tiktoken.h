#pragma once

#include <string_view>

#include "core/result.h"
#include "core/tokenizers/tokenizer_parts.h"

namespace headscope {

/// Reads the ranks of tiktoken: one line per piece, with its bytes in base64 and its rank, which is its id.
/// The pattern that splits a text and the special tokens follow from the first of these names that `hint`
/// contains in upper or lower case: qwen, llama, o200k, cl100k, p50k, r50k, gpt2. If it contains none, they
/// are those of cl100k (GPT-4). Texts for Qwen are first normalized to NFC, and Llama 3 has <|begin_of_text|>
/// before its texts. Errors name the line.
Result<TokenizerParts> parse_tiktoken(std::string_view text, std::string_view hint);

/// Whether a text begins like such a file.
bool looks_like_tiktoken(std::string_view text);

}  // namespace headscope
