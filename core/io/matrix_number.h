#pragma once

#include <string>
#include <string_view>

namespace headscope {

/// Why the text of a cell is not a finite number.
enum class CellProblem {
  none,
  empty,
  not_a_number,
  nan,
  infinity,
  minus_infinity,   ///< −∞, which some callers allow
  too_large,        ///< beyond the largest float
  divided_by_zero,  ///< 1/0
  ellipsis          ///< "..." in place of omitted numbers
};

struct CellNumber {
  float value = 0.0F;
  CellProblem problem = CellProblem::none;
};

/// Parses a cell to the nearest float, in any locale: 0.5, .5, 1., +2, −3 (also with U+2212), 1e-5, a
/// fraction 1/3 or \frac{1}{3}, 1.5\times10^{-3}, and the names of ∞ and NaN in Python, NumPy, MATLAB, JSON
/// and LaTeX. Underflow gives 0. `decimal_mark` is a point or a comma; the other one must not appear.
CellNumber parse_cell(std::string_view text, char decimal_mark = '.');

/// The text without surrounding white space.
std::string_view trimmed(std::string_view text);

/// The quoted text for messages, truncated if long.
std::string quoted_cell(std::string_view text);

/// The end of a sentence about a cell with a problem: "is not a number; write …".
std::string problem_text(CellProblem problem, std::string_view cell);

}  // namespace headscope
