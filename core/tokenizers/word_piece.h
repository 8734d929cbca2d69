#pragma once

#include <cstddef>
#include <string>

#include "core/result.h"
#include "core/tokenizers/subword_model.h"

namespace headscope {

struct WordPieceOptions {
  std::string unknown = "[UNK]";
  std::string continuing_prefix = "##";
  std::size_t most_characters = 100;  ///< a longer word is unknown
};
/// WordPiece: the longest piece that a word begins with, then the longest that the rest begins with, which
/// has
/// "##" before it; a word of which a part is no piece is unknown as a whole (Wu et al. 2016, BERT).
Result<SubwordModelPointer> make_word_piece(PieceTable pieces, WordPieceOptions options);

/// Each word is a piece, or unknown.
Result<SubwordModelPointer> make_word_level(PieceTable pieces, std::string unknown);

}  // namespace headscope
