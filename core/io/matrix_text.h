#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/tensor/view.h"

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

/// The end of a sentence about a cell with a problem: "is not a number; write …".
std::string problem_text(CellProblem problem, std::string_view cell);

/// Which numbers a matrix text may contain.
struct MatrixTextRules {
  bool allows_minus_infinity = false;  ///< For scores, where −∞ hides a key
  bool operator==(const MatrixTextRules&) const = default;
};

/// The maximum number of cells of a matrix text, so that a bad paste does not exhaust memory.
inline constexpr std::size_t max_text_cells = 4'000'000;

/// Parses a matrix [rows, columns] from pasted text or a text file. Brackets (of NumPy, PyTorch, Python, JSON
/// or MATLAB, and LaTeX's \begin and \end), semicolons, line ends and \\ end rows. Tabs, commas, & or,
/// without them, white space separates cells; in brackets white space always does. A line end is white space
/// between nested brackets, after a comma in brackets, where NumPy wraps a long row, and in LaTeX. In CSV
/// with decimal commas, semicolons separate cells. Skips a variable name, a constructor call and its dtype,
/// and, outside brackets, a header line and a column of labels. For the syntax of cells, see parse_cell(). A
/// single row or number is one row.
///
/// Error messages give the row and column in the text, counted from 1 including labels. Errors: no numbers;
/// rows of different lengths; a cell that is not a finite float (unless it is −∞ and the rules allow it);
/// "..."; more than one matrix; other text beside it; more than `max_text_cells` numbers; and ambiguous text
/// such as "1,5;2,5".
Result<OwnedMatrix> parse_matrix(std::string_view text, const MatrixTextRules& rules = {});

/// Parses one number as typed into a cell, also with a decimal comma. Error messages give no position.
Result<float> parse_matrix_number(std::string_view text, const MatrixTextRules& rules = {});

/// A format for copying a matrix to another program.
enum class MatrixFormat {
  spreadsheet,  ///< tabs and line ends
  csv,          ///< commas and line ends
  numpy,        ///< np.array([[…]], dtype=np.float32)
  python,       ///< nested lists
  latex,        ///< bmatrix
  matlab        ///< [1 0; 0 1]
};

/// Formats the numbers without labels, as the shortest decimals that round-trip. In every form,
/// parse_matrix() returns the same matrix, bit for bit.
std::string matrix_text(const MatrixView& values, MatrixFormat form);

}  // namespace headscope
