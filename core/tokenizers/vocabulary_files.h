#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/tokenizers/model_configuration.h"
#include "core/tokenizers/tokenizer_parts.h"

namespace headscope {

/// Byte-level BPE from vocab.json and merges.txt, like Hugging Face's fast tokenizers, for the families gpt2
/// (the default), roberta, deberta, opt and qwen2 and their relatives. The merges may begin with "#version
/// …". Errors give the position, or the unsupported family.
Result<TokenizerParts> parse_vocabulary_and_merges(std::string_view vocabulary, std::string_view merges,
                                                   const ModelConfiguration& configuration);

/// WordPiece from vocab.txt with a piece per line, for bert (the default) and its relatives. Accepts CRLF and
/// a byte order mark. Errors as above.
Result<TokenizerParts> parse_vocabulary_lines(std::string_view lines,
                                              const ModelConfiguration& configuration);

/// The same from a list of pieces.
Result<TokenizerParts> word_piece_parts(std::vector<std::string> pieces,
                                        const ModelConfiguration& configuration);

/// The ids of special tokens: by the tokens in the configuration, by the own unknown piece, or by the ids in
/// the configuration.
SpecialIds special_ids_of(const TokenizerParts& parts, const ModelConfiguration& configuration);

}  // namespace headscope
