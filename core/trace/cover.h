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

/// An exercise: the numbers in some cells of one stage are hidden until the user finds them. A cell is
/// covered if any of the rules or lists covers it and `except` does not contain it. All lists are sorted and
/// free of duplicates.
struct Cover {
  /// The covered stage, in the form of canonical(). No value if no cell is covered.
  std::optional<StageId> stage;
  bool all = false;
  std::vector<int> rows, columns;
  /// Covers every n-th cell of a row, one cell earlier in each following row: 2 gives a chessboard. 0 covers
  /// none.
  int every = 0;
  float share = 0.0F;             ///< the share of all cells that are covered at random
  std::uint64_t seed = 0;         ///< the seed for this random choice
  std::vector<StageCell> cells;   ///< cells that are covered one by one
  std::vector<StageCell> except;  ///< cells that are not covered
  /// Cells that were answered correctly; they remain covered, but their numbers are shown.
  std::vector<StageCell> right;
  bool solution = false;  ///< whether the covered numbers are shown, each in a frame
  bool operator==(const Cover&) const = default;

  /// Whether a cell is part of the exercise.
  bool covers(int row, int col) const;
  bool is_right(int row, int col) const;
  /// Whether the number of a cell must not be seen.
  bool hides(int row, int col) const { return !solution && covers(row, col) && !is_right(row, col); }
  /// Whether the exercise covers cells of this stage.
  bool is_over(const StageId& id) const { return stage == id; }
  /// Whether any cell of a row is hidden. `n_cols` is the number of cells in the row.
  bool hides_in_row(int row, int n_cols) const;

 private:
  bool rule_covers(int row, int col) const;
};

/// The number of cells that a cover has, and how many of them were answered correctly.
struct CoverCount {
  int covered = 0;
  int right = 0;
  bool operator==(const CoverCount&) const = default;
};
/// Counts the cells of a stage of this size. No value if it has more than a million cells, too many to fill
/// in.
std::optional<CoverCount> count_of(const Cover& cover, int rows, int cols);

/// Whether any cell is hidden. True if there are too many cells to be counted.
bool hides_any(const Cover& cover, int rows, int cols);

/// Returns the cover with a cell covered (again) or no longer covered.
Cover with_cell(Cover cover, StageCell cell, bool covered);

/// The largest value of Cover::every.
inline constexpr int max_every = 1000;

}  // namespace headscope
