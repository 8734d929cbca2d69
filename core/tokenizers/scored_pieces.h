#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/tokenizers/bpe.h"
#include "core/tokenizers/prefix_trie.h"
#include "core/tokenizers/subword_model.h"

namespace headscope {

/// The pieces of a sentencepiece model, indexed for its algorithms. Immutable.
class ScoredPieces {
 public:
  /// Fails unless there is exactly one unknown piece, pieces are non-empty and unique, scores are not NaN
  /// and, if `falls_back_to_bytes`, all bytes have pieces.
  static Result<ScoredPieces> make(std::vector<ScoredPiece> pieces, bool falls_back_to_bytes);

  const ScoredPiece& operator[](int id) const { return pieces_[static_cast<std::size_t>(id)]; }
  int size() const { return static_cast<int>(pieces_.size()); }
  int unknown() const { return unknown_; }
  bool is_control(int id) const {
    return id >= 0 && id < size() && (*this)[id].kind == ScoredPiece::Kind::control;
  }
  /// The ids of the bytes. Empty without byte fallback.
  const std::optional<std::array<int, 256>>& bytes() const { return bytes_; }
  /// The pieces that can match text: normal, user-defined and unused ones.
  const PrefixTrie& texts() const { return texts_; }
  /// The user-defined pieces.
  const PrefixTrie& users() const { return users_; }
  Result<PieceTable> table() const;

 private:
  std::vector<ScoredPiece> pieces_;
  int unknown_ = 0;
  std::optional<std::array<int, 256>> bytes_;
  PrefixTrie texts_;
  PrefixTrie users_;
};

/// Appends a part like sentencepiece: an unknown part becomes bytes, or is merged with a preceding unknown
/// part from `first` on.
void add_scored_part(const ScoredPieces& pieces, std::string_view text, WordPart part, std::size_t first,
                     std::vector<WordPart>& to);

}  // namespace headscope
