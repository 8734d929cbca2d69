#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/result.h"

namespace headscope {

/// The pieces of a vocabulary and their ids. Immutable. Ids may have holes, and a piece may come twice.
class PieceTable {
 public:
  PieceTable() = default;
  /// A piece that comes twice is found by its last id, and of two pieces with one id the last is shown.
  /// Errors: ids that are negative or leave more than a million holes, and more than four million pieces.
  static Result<PieceTable> make(std::vector<std::pair<std::string, int>> pieces);

  PieceTable(const PieceTable&) = delete;
  PieceTable& operator=(const PieceTable&) = delete;
  PieceTable(PieceTable&&) noexcept = default;
  PieceTable& operator=(PieceTable&&) noexcept = default;
  ~PieceTable() = default;

  std::optional<int> find(std::string_view piece) const;
  /// Empty for a hole and outside of 0 ≤ id < size().
  std::string_view piece(int id) const;
  /// One more than the greatest id.
  int size() const { return static_cast<int>(by_id_.size()); }
  /// How many different pieces there are.
  int count() const { return static_cast<int>(ids_.size()); }

 private:
  std::vector<std::pair<std::string, int>> pieces_;  ///< the strings that the views below are of
  std::unordered_map<std::string_view, int> ids_;
  std::vector<std::string_view> by_id_;
};

}  // namespace headscope
