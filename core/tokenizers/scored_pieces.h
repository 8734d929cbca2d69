#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/tokenizers/bpe.h"
#include "core/tokenizers/piece_table.h"
#include "core/tokenizers/prefix_trie.h"

namespace headscope {

/// The pieces of a sentencepiece model and what its algorithms ask of them. Immutable.
class ScoredPieces {
 public:
  /// Errors: no piece or several for what is unknown, a piece that is empty or comes twice, a score that is
  /// no number, and missing pieces of bytes if `falls_back_to_bytes`.
  static Result<ScoredPieces> make(std::vector<ScoredPiece> pieces, bool falls_back_to_bytes);

  const ScoredPiece& operator[](int id) const { return pieces_[static_cast<std::size_t>(id)]; }
  int size() const { return static_cast<int>(pieces_.size()); }
  int unknown() const { return unknown_; }
  bool is_control(int id) const {
    return id >= 0 && id < size() && (*this)[id].kind == ScoredPiece::Kind::control;
  }
  /// The ids of the bytes; nothing where an unknown character stays one.
  const std::optional<std::array<int, 256>>& bytes() const { return bytes_; }
  /// The pieces that a text can be made of: normal ones, those of the user, and unused ones.
  const PrefixTrie& texts() const { return texts_; }
  /// Those of the user.
  const PrefixTrie& users() const { return users_; }
  Result<PieceTable> table() const;

 private:
  std::vector<ScoredPiece> pieces_;
  int unknown_ = 0;
  std::optional<std::array<int, 256>> bytes_;
  PrefixTrie texts_;
  PrefixTrie users_;
};

/// Adds a part to those of a text as sentencepiece does: an unknown one becomes its bytes or is joined with
/// the unknown part before it, if that is not before `first`.
void add_scored_part(const ScoredPieces& pieces, std::string_view text, WordPart part, std::size_t first,
                     std::vector<WordPart>& to);

}  // namespace headscope
