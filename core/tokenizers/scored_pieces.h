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

/// The pieces of a sentencepiece model in the form that its algorithms need. Immutable.
class ScoredPieces {
 public:
  /// It is an error if there is not exactly one unknown piece, if a piece is empty or occurs twice, if a
  /// score is not a number, or if `falls_back_to_bytes` is true and the piece of a byte is missing.
  static Result<ScoredPieces> make(std::vector<ScoredPiece> pieces, bool falls_back_to_bytes);

  const ScoredPiece& operator[](int id) const { return pieces_[static_cast<std::size_t>(id)]; }
  int size() const { return static_cast<int>(pieces_.size()); }
  int unknown() const { return unknown_; }
  bool is_control(int id) const {
    return id >= 0 && id < size() && (*this)[id].kind == ScoredPiece::Kind::control;
  }
  /// The ids of the bytes. Empty if an unknown character is not split into bytes.
  const std::optional<std::array<int, 256>>& bytes() const { return bytes_; }
  /// The pieces that a text can consist of: normal, user-defined and unused ones.
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

/// Adds a part of a text as sentencepiece does: an unknown part becomes its bytes or is joined with an
/// unknown part before it, unless that is before `first`.
void add_scored_part(const ScoredPieces& pieces, std::string_view text, WordPart part, std::size_t first,
                     std::vector<WordPart>& to);

}  // namespace headscope
