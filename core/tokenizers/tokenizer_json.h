#pragma once

#include <string_view>

#include "core/result.h"
#include "core/tokenizers/tokenizer_parts.h"

namespace headscope {

/// Parses a tokenizer.json like version 0.22 of Hugging Face's tokenizers, ignoring truncation and padding.
/// As in that library, an added token that is not in the vocabulary gets the next id above all others,
/// whatever id the file gives. Errors (with the path in the file): missing or invalid fields, unknown
/// normalizers, pre-tokenizers, models, post-processors or decoders, and dropout.
Result<TokenizerParts> parse_tokenizer_json(std::string_view text);

/// The pattern of the pre-tokenizer "Whitespace".
const Result<Regex>& words_pattern();

}  // namespace headscope
