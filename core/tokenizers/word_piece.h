#pragma once

#include <cstddef>
#include <string>

#include "core/result.h"
#include "core/tokenizers/subword_model.h"

namespace headscope {

struct WordPieceOptions {
  std::string unknown = "[UNK]";
  std::string continuing_prefix = "##";
  std::size_t max_characters = 100;  ///< Longer words are unknown
};
/// WordPiece: greedily matches the longest prefix of a word, and of the rest with "##" prepended. If any part
/// has no piece, the entire word is unknown (Wu et al. 2016, BERT).
Result<SubwordModelPtr> make_word_piece(PieceTable pieces, WordPieceOptions options);

/// Each word is either a piece or unknown.
Result<SubwordModelPtr> make_word_level(PieceTable pieces, std::string unknown);

}  // namespace headscope
