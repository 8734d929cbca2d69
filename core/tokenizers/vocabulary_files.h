#pragma once

#include <string_view>

#include "core/result.h"
#include "core/tokenizers/model_configuration.h"
#include "core/tokenizers/tokenizer_parts.h"

namespace headscope {

/// Byte-level BPE of a vocab.json and a merges.txt, as Hugging Face's fast tokenizers make it of them: for
/// the families gpt2 (also where none is named) and its kin, roberta and its kin, deberta, opt and qwen2. The
/// first line of the merges may be
/// "#version …". Errors name the place, and a family that is not supported.
Result<TokenizerParts> parse_vocabulary_and_merges(std::string_view vocabulary, std::string_view merges,
                                                   const ModelConfiguration& configuration);

/// WordPiece of a vocab.txt, a piece a line: for bert (also where no family is named) and its kin. Line ends
/// may be CRLF, and a byte order mark is left out. Errors as above.
Result<TokenizerParts> parse_vocabulary_lines(std::string_view lines,
                                              const ModelConfiguration& configuration);

/// The ids of the roles: of the tokens that the files beside a tokenizer name, of its own unknown piece, or
/// as these files number them.
SpecialIds special_ids_of(const TokenizerParts& parts, const ModelConfiguration& configuration);

}  // namespace headscope
