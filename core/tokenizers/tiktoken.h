#pragma once

#include <string_view>

#include "core/result.h"
#include "core/tokenizers/tokenizer_parts.h"

namespace headscope {

/// Parses tiktoken ranks: a piece per line, with its bytes in base64 and its rank, which is its id. The first
/// of these names in `hint` (ignoring case) determines the split pattern and the special tokens: qwen, llama,
/// o200k, cl100k (the default), p50k, r50k, gpt2. Qwen normalizes to NFC, and Llama 3 prepends
/// <|begin_of_text|>. Errors give the line.
Result<TokenizerParts> parse_tiktoken(std::string_view text, std::string_view hint);

/// Whether a text begins like a tiktoken file.
bool looks_like_tiktoken(std::string_view text);

}  // namespace headscope
