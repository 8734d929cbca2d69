#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/tokenizers/prefix_trie.h"
#include "core/tokenizers/subword_model.h"

namespace headscope {

/// Byte-pair encoding as in Hugging Face's tokenizers: of all neighbours in the list of merges, those that
/// come first in the list are joined, from left to right, until none are left (Sennrich et al. 2016).
struct MergeBpeOptions {
  std::optional<std::string> unknown{};  ///< The piece for unknown characters. Without it, they are left out.
  std::string continuing_prefix{};       ///< Precedes every character of a word except for the first.
  std::string word_suffix{};             ///< Follows the last character of a word.
  bool fuses_unknown = false;            ///< Several unknown characters in a row become one piece.
  bool falls_back_to_bytes = false;      ///< An unknown character becomes its bytes, such as "<0xE2>".
  bool ignores_merges = false;  ///< A word that is itself a piece stays whole, whatever the merges say.
  std::string name = "BPE";
};
/// It is an error if a merge joins pieces, or makes a piece, that the vocabulary lacks (merges count from 1),
/// and if the vocabulary lacks the unknown piece when a text needs it.
Result<SubwordModelPointer> make_merge_bpe(PieceTable pieces,
                                           const std::vector<std::pair<std::string, std::string>>& merges,
                                           MergeBpeOptions options);

/// Byte-pair encoding with the ranks of tiktoken: neighbours that together are a piece are joined, those with
/// the smallest id first. The pieces are written in byte letters. It is an error if a byte is not a piece.
Result<SubwordModelPointer> make_rank_bpe(PieceTable pieces);

/// A piece as sentencepiece describes it.
struct ScoredPiece {
  enum class Kind { normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5, byte = 6 };
  std::string text;
  float score = 0.0F;
  Kind kind = Kind::normal;
};

/// The BPE of sentencepiece: neighbours that together are a piece are joined, those with the highest score
/// first. A user-defined piece is never joined with another, and an unused one is split again. The id of a
/// piece is its index in the list.
Result<SubwordModelPointer> make_score_bpe(std::vector<ScoredPiece> pieces, bool falls_back_to_bytes);

}  // namespace headscope
