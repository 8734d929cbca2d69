#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/tokenizers/prefix_trie.h"
#include "core/tokenizers/subword_model.h"

namespace headscope {

/// Byte-pair encoding as in Hugging Face's tokenizers: repeatedly merges the adjacent pair that is first in
/// the merge list, from left to right (Sennrich et al. 2016).
struct MergeBpeOptions {
  std::optional<std::string> unknown{};  ///< The piece for unknown characters; if unset, they are dropped
  std::string continuing_prefix{};       ///< Prefix of all characters of a word but the first
  std::string word_suffix{};             ///< Suffix of the last character of a word
  bool fuses_unknown = false;            ///< Merges consecutive unknown characters
  bool falls_back_to_bytes = false;      ///< Unknown characters become bytes: "<0xE2>"
  bool ignores_merges = false;           ///< Words that are pieces are not split
  std::string name = "BPE";
};
/// Fails if a merge uses or makes a piece that is not in the vocabulary (merges count from 1). Splitting
/// fails if the unknown piece is needed but missing.
Result<SubwordModelPtr> make_merge_bpe(PieceTable pieces,
                                       const std::vector<std::pair<std::string, std::string>>& merges,
                                       MergeBpeOptions options);

/// Byte-pair encoding with tiktoken ranks: merges adjacent pairs that form a piece, smallest id first. Pieces
/// are in byte letters. Fails if a byte is not a piece.
Result<SubwordModelPtr> make_rank_bpe(PieceTable pieces);

/// A piece of a sentencepiece model.
struct ScoredPiece {
  enum class Kind { normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5, byte = 6 };
  std::string text;
  float score = 0.0F;
  Kind kind = Kind::normal;
};

/// sentencepiece's BPE: merges adjacent pairs that form a piece, highest score first. User-defined pieces are
/// never merged, and unused ones are split again. Ids are list indices.
Result<SubwordModelPtr> make_score_bpe(std::vector<ScoredPiece> pieces, bool falls_back_to_bytes);

}  // namespace headscope
