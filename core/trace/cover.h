#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/model/stage.h"

namespace headscope {

/// A cell of a stage; indices count from 0.
struct StageCell {
  int row = 0;
  int col = 0;
  auto operator<=>(const StageCell&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 errs
};

/// An exercise: hides the numbers in some cells of a stage until the user finds them. A cell is covered if
/// any rule or list covers it, unless `except` contains it. All lists are sorted without duplicates.
struct Cover {
  /// The covered stage, canonical(). Empty if nothing is covered.
  std::optional<StageId> stage;
  bool all = false;
  std::vector<int> rows, columns;
  /// Covers every n-th cell of a row, shifted by one per row: 2 gives a chessboard. 0 covers none.
  int every = 0;
  float share = 0.0F;             ///< the fraction of cells covered at random
  std::uint64_t seed = 0;         ///< the seed of `share`
  std::vector<StageCell> cells;   ///< individually covered cells
  std::vector<StageCell> except;  ///< cells excluded from covering
  /// Cells answered correctly. They remain covered, but their numbers are shown.
  std::vector<StageCell> right;
  bool solution = false;  ///< whether covered numbers are shown in frames
  bool operator==(const Cover&) const = default;

  /// Whether a cell is part of the exercise.
  bool covers(int row, int col) const;
  bool is_right(int row, int col) const;
  /// Whether the number of a cell must be hidden.
  bool hides(int row, int col) const { return !solution && covers(row, col) && !is_right(row, col); }
  /// Whether the exercise is about this stage.
  bool is_over(const StageId& id) const { return stage == id; }
  /// Whether any cell of a row with `n_cols` cells is hidden.
  bool hides_in_row(int row, int n_cols) const;

 private:
  bool rule_covers(int row, int col) const;
};

/// The number of covered cells, and of those answered correctly.
struct CoverCount {
  int covered = 0;
  int right = 0;
  bool operator==(const CoverCount&) const = default;
};
/// Counts the covered cells of a stage of this size. Empty beyond a million cells.
std::optional<CoverCount> count_covered(const Cover& cover, int rows, int cols);

/// Whether any cell is hidden. True if there are too many cells to count.
bool hides_any(const Cover& cover, int rows, int cols);

/// Covers or uncovers a cell.
Cover with_cell(Cover cover, StageCell cell, bool covered);

/// The maximum of Cover::every.
inline constexpr int max_every = 1000;

/// Parses a typed number: with a decimal point or comma, − or - as the sign, "-inf" or "−∞", or a fraction
/// such as 1/2. Empty if it is not a number.
std::optional<double> parse_answer(std::string_view typed);

/// The required precision, the same for all numbers, since more decimals for some would reveal their
/// magnitude.
inline constexpr std::string_view answer_rule =
    "to two significant digits, such as 0.047, 3.8 or 216. The last digit may differ by 1.";

/// Whether an answer is right. It must be within 10 % of the number, since the numbers that it is computed
/// from are rounded as well. It must also differ by at most 1 in the second significant digit, or in the last
/// digit before the point if there are more. Near 0, it may differ by at most 0.00005. Infinite numbers and
/// NaN must match exactly.
bool is_right_answer(double answer, float value);

}  // namespace headscope
