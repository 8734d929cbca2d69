#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/tokenizers/model_configuration.h"
#include "core/tokenizers/tokenizer_parts.h"

namespace headscope {

/// Makes byte-level BPE from a vocab.json and a merges.txt, as Hugging Face's fast tokenizers do. It supports
/// the families gpt2 (also if none is named) and roberta with their relatives, deberta, opt and qwen2. The
/// first line of the merges may be "#version …". Errors name the place, or a family that is not supported.
Result<TokenizerParts> parse_vocabulary_and_merges(std::string_view vocabulary, std::string_view merges,
                                                   const ModelConfiguration& configuration);

/// Makes WordPiece from a vocab.txt with one piece per line, for bert (also if no family is named) and its
/// relatives. Lines may end in CRLF, and a byte order mark is skipped. Errors are as above.
Result<TokenizerParts> parse_vocabulary_lines(std::string_view lines,
                                              const ModelConfiguration& configuration);

/// The same from the pieces alone.
Result<TokenizerParts> word_piece_parts(std::vector<std::string> pieces,
                                        const ModelConfiguration& configuration);

/// The ids of the roles: those of the tokens that the files next to a tokenizer name, of its own unknown
/// piece, or those that these files give.
SpecialIds special_ids_of(const TokenizerParts& parts, const ModelConfiguration& configuration);

}  // namespace headscope
