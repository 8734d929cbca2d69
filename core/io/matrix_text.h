#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/tensor/view.h"

namespace headscope {

/// What a matrix that is given as text may have.
struct MatrixTextRules {
  bool allows_minus_infinity = false;  ///< scores may be −∞, which hides a key
};

/// No more numbers are read from a text: a bad paste shall not fill the memory.
inline constexpr std::size_t max_text_cells = 4'000'000;

/// Reads a matrix [rows, columns] from what was pasted or a text file: a spreadsheet's cells (tabs), CSV with
/// commas, or with semicolons and then also with decimal commas, numbers between spaces; NumPy's and
/// PyTorch's print and repr, nested lists of Python and JSON; MATLAB ("1 0; 0 1", with or without brackets);
/// LaTeX (matrix, bmatrix, pmatrix, array, also only what is between \begin and \end). A single row, or a
/// single number, is a matrix of one row. A first line and a first column of labels, as csv_text() and
/// spreadsheets write them, are left out. What a cell may hold: read_cell().
///
/// An error says where: rows and columns of the text as a person counts them, from 1, with the labels.
/// Errors: no numbers; rows of different lengths; a cell that is no finite float (−∞ by the rules); numbers
/// left out with "..."; more than one matrix; more than `max_text_cells` numbers; and what can be read in two
/// ways, as "1,5; 2,5" can.
Result<OwnedMatrix> read_matrix_text(std::string_view text, const MatrixTextRules& rules = {});

/// One number, as it is typed into a cell; also with a decimal comma. The error names no place.
Result<float> read_number_text(std::string_view text, const MatrixTextRules& rules = {});

/// How a matrix is written to be pasted elsewhere.
enum class MatrixForm {
  spreadsheet,  ///< tabs and line ends
  csv,          ///< commas and line ends
  numpy,        ///< np.array([[…]], dtype=np.float32)
  python,       ///< nested lists
  latex,        ///< bmatrix
  matlab        ///< [1 0; 0 1]
};

/// The numbers without labels, each the shortest decimal that reads back as the same float:
/// read_matrix_text() of any form gives the same matrix, to the bit.
std::string matrix_text(const MatrixView& values, MatrixForm form);

/// The shortest decimal that reads back as the same float; "inf", "-inf" and "nan" for what is not finite.
std::string shortest_decimal(float value);

}  // namespace headscope
