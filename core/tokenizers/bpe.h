#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/tokenizers/prefix_trie.h"
#include "core/tokenizers/subword_model.h"

namespace headscope {

/// Byte-pair encoding as Hugging Face's tokenizers have it: of all neighbours that the list of merges has,
/// those that stand first in it are joined, from left to right, until none are left (Sennrich et al. 2016).
struct MergeBpeOptions {
  std::optional<std::string>
      unknown{};                     ///< the piece for a character that is none; without it, it is left out
  std::string continuing_prefix{};   ///< stands before every character of a word but the first
  std::string word_suffix{};         ///< stands behind the last
  bool fuses_unknown = false;        ///< several unknown characters in a row are one
  bool falls_back_to_bytes = false;  ///< an unknown character is its bytes, as "<0xE2>"
  bool ignores_merges = false;       ///< a word that is a piece is one, whatever the merges
  std::string name = "BPE";
};
/// Errors: a merge of pieces, or to one, that the vocabulary does not have (merges count from 1), and an
/// unknown piece that it does not have, where a text meets it.
Result<SubwordModelPointer> make_merge_bpe(PieceTable pieces,
                                           const std::vector<std::pair<std::string, std::string>>& merges,
                                           MergeBpeOptions options);

/// Byte-pair encoding with the ranks of tiktoken: neighbours are joined where both together are a piece,
/// those with the least id first. The pieces are in byte letters. Errors: a byte that is no piece.
Result<SubwordModelPointer> make_rank_bpe(PieceTable pieces);

/// What sentencepiece says of a piece.
struct ScoredPiece {
  enum class Kind { normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5, byte = 6 };
  std::string text;
  float score = 0.0F;
  Kind kind = Kind::normal;
};

/// sentencepiece's BPE: neighbours are joined where both together are a piece, those with the greatest score
/// first; a piece of the user is never joined, and an unused one is taken apart again. The id of a piece is
/// its place in the list.
Result<SubwordModelPointer> make_score_bpe(std::vector<ScoredPiece> pieces, bool falls_back_to_bytes);

}  // namespace headscope
