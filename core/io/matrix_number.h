#pragma once

#include <string>
#include <string_view>

namespace headscope {

/// What keeps the text of a cell from being a finite number.
enum class CellProblem {
  none,
  empty,
  not_a_number,
  nan,
  infinity,
  minus_infinity,   ///< its value is −∞, for those who allow it
  too_large,        ///< beyond the largest float
  divided_by_zero,  ///< 1/0
  left_out          ///< "..." stands for numbers that the text does not have
};

struct CellNumber {
  float value = 0.0F;
  CellProblem problem = CellProblem::none;
};

/// The float nearest to what a cell says, in every locale the same: 0.5, .5, 1., +2, −3 (also with U+2212),
/// 1e-5, a fraction 1/3 or \frac{1}{3}, 1.5\times10^{-3}, and the names of ∞ and NaN in Python, NumPy,
/// MATLAB, JSON and LaTeX. What is smaller than every float is 0. `decimal_mark` is . or , and no other may
/// appear.
CellNumber read_cell(std::string_view text, char decimal_mark = '.');

/// Without the white space around it.
std::string_view trimmed(std::string_view text);

/// What was found, in quotes and cut where it is long, for messages.
std::string quoted_cell(std::string_view text);

/// "is not a number; write …": the end of a sentence about a cell with a problem.
std::string problem_text(CellProblem problem, std::string_view cell);

}  // namespace headscope
