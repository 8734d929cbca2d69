#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/trace/stage.h"

namespace headscope {

/// A cell of a stage's numbers, counted from 0.
struct StageCell {
  int row = 0;
  int col = 0;
  auto operator<=>(const StageCell&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 errs
};

/// An exercise: cells of one stage whose numbers are hidden until somebody finds them. The rules add up, and
/// `except` takes cells out of what they cover. Lists are sorted, each item once.
struct Cover {
  std::optional<StageId> stage;  ///< whose cells, as canonical(); nothing: none is covered
  bool all = false;
  std::vector<int> rows, columns;
  int every = 0;       ///< every n-th cell of a row, from row to row one earlier: 2 is a chessboard; 0: none
  float share = 0.0F;  ///< of all cells, drawn at random
  std::uint64_t seed = 0;         ///< of that draw
  std::vector<StageCell> cells;   ///< one by one
  std::vector<StageCell> except;  ///< not these
  std::vector<StageCell> right;   ///< answered rightly: covered, and shown all the same
  bool solution = false;          ///< the covered numbers are shown, each in a frame
  bool operator==(const Cover&) const = default;

  /// Whether a cell is part of the exercise.
  bool covers(int row, int col) const;
  bool is_right(int row, int col) const;
  /// Whether its number must not be seen.
  bool hides(int row, int col) const { return !solution && covers(row, col) && !is_right(row, col); }
  /// Whether it lies over this stage.
  bool is_over(const StageId& id) const { return stage == id; }
  /// Whether a row has a cell that it hides. `n_cols`: how many the row has.
  bool hides_in_row(int row, int n_cols) const;

 private:
  bool rule_covers(int row, int col) const;
};

/// How many cells a cover has, and how many of them were answered.
struct CoverCount {
  int covered = 0;
  int right = 0;
  bool operator==(const CoverCount&) const = default;
};
/// Of a stage with so many rows and columns. Nothing where there are more than a million, which nobody fills
/// in.
std::optional<CoverCount> count_of(const Cover& cover, int rows, int cols);

/// Whether any cell is hidden; so many that nobody counts them are taken for hidden.
bool hides_any(const Cover& cover, int rows, int cols);

/// The same with a cell covered (again), or not any more.
Cover with_cell(Cover cover, StageCell cell, bool covered);

/// Limits of Cover.
inline constexpr int max_every = 1000;

}  // namespace headscope
