#pragma once

#include <string_view>

#include "core/result.h"
#include "core/tokenizers/tokenizer_parts.h"

namespace headscope {

/// Reads the ranks of tiktoken: a line for each piece, its bytes in base64 and its rank, which is its id. The
/// pattern at whose matches a text is split, and the special tokens, follow from the first of these that
/// `hint` has in it, in any case of letters: qwen, llama, o200k, cl100k, p50k, r50k, gpt2; without any,
/// cl100k (GPT-4). Qwen's texts are brought into the form NFC first; Llama 3 has <|begin_of_text|> before its
/// texts. Errors name the line.
Result<TokenizerParts> parse_tiktoken(std::string_view text, std::string_view hint);

/// Whether a text begins as such a file does.
bool looks_like_tiktoken(std::string_view text);

}  // namespace headscope
