#pragma once

#include <string>
#include <string_view>

namespace headscope {

/// The reason why the text of a cell is not a finite number.
enum class CellProblem {
  none,
  empty,
  not_a_number,
  nan,
  infinity,
  minus_infinity,   ///< the value is −∞, which some callers allow
  too_large,        ///< beyond the largest float
  divided_by_zero,  ///< 1/0
  left_out          ///< "..." in place of numbers that the text omits
};

struct CellNumber {
  float value = 0.0F;
  CellProblem problem = CellProblem::none;
};

/// Reads a cell as the nearest float, independently of the locale: 0.5, .5, 1., +2, −3 (also with U+2212),
/// 1e-5, a fraction 1/3 or \frac{1}{3}, 1.5\times10^{-3}, and the names of ∞ and NaN in Python, NumPy,
/// MATLAB, JSON and LaTeX. A number too small for a float becomes 0. `decimal_mark` is a point or a comma,
/// and the other one may not appear.
CellNumber read_cell(std::string_view text, char decimal_mark = '.');

/// The text without surrounding white space.
std::string_view trimmed(std::string_view text);

/// The text in quotes, for messages. A long one is cut off.
std::string quoted_cell(std::string_view text);

/// The end of a sentence about a cell with a problem: "is not a number; write …".
std::string problem_text(CellProblem problem, std::string_view cell);

}  // namespace headscope
