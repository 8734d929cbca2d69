#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>
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

/// Reads a number that the user typed: a point or a comma before the decimals, − or - as the sign, "-inf" or
/// "−∞" for minus infinity, or a fraction of two numbers such as 1/2. No value if the text is not a number.
std::optional<double> number_answered(std::string_view typed);

/// The precision that is asked for, whatever the number. More decimals for some numbers would reveal their
/// magnitude.
inline constexpr std::string_view answer_rule =
    "to two significant digits, such as 0.047, 3.8 or 216. The last digit may differ by 1.";

/// Whether an answer is right. It must be within 10 % of the number, since the numbers that it is computed
/// from are rounded as well. It must also differ by at most 1 in the second significant digit, or in the last
/// digit before the point if there are more. Near 0, it may differ by at most 0.00005. Infinite numbers and
/// NaN must match exactly.
bool is_right_answer(double answer, float value);

}  // namespace headscope
