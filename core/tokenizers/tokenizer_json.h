#pragma once

#include <string_view>

#include "core/result.h"
#include "core/tokenizers/tokenizer_parts.h"

namespace headscope {

/// Reads a tokenizer.json as version 0.22 of Hugging Face's tokenizers does. Its truncation and padding are
/// ignored. As in that library, an added token that the vocabulary lacks gets the next id above all others,
/// whatever id the file gives it. It is an error if something is missing or wrong; the message names its
/// place in the file.
/// Unknown normalizers, pre-tokenizers, models, post-processors and decoders are errors, and so is dropout;
/// the message names them.
Result<TokenizerParts> parse_tokenizer_json(std::string_view text);

/// The pattern of the pre-tokenizer "Whitespace".
const Result<Regex>& words_pattern();

}  // namespace headscope
