#pragma once

#include <cstddef>
#include <string>

#include "core/result.h"
#include "core/tokenizers/subword_model.h"

namespace headscope {

struct WordPieceOptions {
  std::string unknown = "[UNK]";
  std::string continuing_prefix = "##";
  std::size_t most_characters = 100;  ///< A longer word is unknown.
};
/// WordPiece takes the longest piece with which a word begins, and then, with "##" before it, the longest
/// with which the rest begins. If any part of a word is not a piece, the whole word is unknown (Wu et al.
/// 2016, BERT).
Result<SubwordModelPointer> make_word_piece(PieceTable pieces, WordPieceOptions options);

/// Each word is a piece or unknown.
Result<SubwordModelPointer> make_word_level(PieceTable pieces, std::string unknown);

}  // namespace headscope
