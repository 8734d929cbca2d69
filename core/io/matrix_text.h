#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/tensor/view.h"

namespace headscope {

/// What a matrix given as text may contain.
struct MatrixTextRules {
  bool allows_minus_infinity = false;  ///< True for scores, where −∞ hides a key.
  bool operator==(const MatrixTextRules&) const = default;
};

/// The largest number of cells that are read from a text, which keeps a bad paste from filling the memory.
inline constexpr std::size_t max_text_cells = 4'000'000;

/// Reads a matrix [rows, columns] from pasted text or a text file by one rule. Brackets (of NumPy, PyTorch,
/// Python, JSON or MATLAB, and LaTeX's \begin and \end), semicolons, line ends and \\ end rows. Tabs, commas,
/// & or, without them, white space separates cells; in brackets white space always does. Between brackets of
/// brackets, behind a comma in a bracket, where NumPy breaks a long row, and in LaTeX, a line end is white
/// space. Where lines have semicolons between their cells, as CSV with decimal commas has, these separate
/// cells. A name and a call before the matrix, and what a call says about its type, are skipped, and so are a
/// first line and a first column of labels outside brackets. read_cell() says what a cell may contain. A
/// single row or number is one row.
///
/// An error message gives the row and column in the text, counted from 1 and including the labels. Errors: no
/// numbers; rows of different lengths; a cell that is not a finite float (unless it is −∞ and the rules allow
/// it); numbers replaced by "..."; more than one matrix; other text beside it; more than `max_text_cells`
/// numbers; and a text that can be read in two ways, such as "1,5;2,5".
Result<OwnedMatrix> read_matrix_text(std::string_view text, const MatrixTextRules& rules = {});

/// Reads one number as typed into a cell, also with a decimal comma. Error messages give no place.
Result<float> read_number_text(std::string_view text, const MatrixTextRules& rules = {});

/// A format for pasting a matrix into another program.
enum class MatrixForm {
  spreadsheet,  ///< tabs and line ends
  csv,          ///< commas and line ends
  numpy,        ///< np.array([[…]], dtype=np.float32)
  python,       ///< nested lists
  latex,        ///< bmatrix
  matlab        ///< [1 0; 0 1]
};

/// Writes the numbers without labels, each as the shortest decimal that reads back as the same float.
/// Whatever the form, read_matrix_text() returns the same matrix, bit for bit.
std::string matrix_text(const MatrixView& values, MatrixForm form);

}  // namespace headscope
