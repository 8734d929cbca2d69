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

/// The pieces of a vocabulary and their ids. Immutable. Ids may have gaps, and a piece may occur twice.
class PieceTable {
 public:
  static constexpr std::size_t most_pieces = 4'000'000;

  PieceTable() = default;
  /// Makes a table. A piece that occurs twice is found by its last id. If two pieces have the same id, the
  /// last one is shown. It is an error if ids are negative or leave more than a million gaps, or if there are
  /// more than `most_pieces`.
  static Result<PieceTable> make(std::vector<std::pair<std::string, int>> pieces);

  PieceTable(const PieceTable&) = delete;
  PieceTable& operator=(const PieceTable&) = delete;
  PieceTable(PieceTable&&) noexcept = default;
  PieceTable& operator=(PieceTable&&) noexcept = default;
  ~PieceTable() = default;

  std::optional<int> find(std::string_view piece) const;
  /// Empty in a gap and outside 0 ≤ id < size().
  std::string_view piece(int id) const;
  /// One more than the largest id.
  int size() const { return static_cast<int>(by_id_.size()); }
  /// The number of different pieces.
  int count() const { return static_cast<int>(ids_.size()); }

 private:
  std::vector<std::pair<std::string, int>> pieces_;  ///< The strings to which the views below refer.
  std::unordered_map<std::string_view, int> ids_;
  std::vector<std::string_view> by_id_;
};

}  // namespace headscope
