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
};

/// The largest number of cells that are read from a text, which keeps a bad paste from filling the memory.
inline constexpr std::size_t max_text_cells = 4'000'000;

/// Reads a matrix [rows, columns] from pasted text or a text file: a spreadsheet's cells (tabs); CSV with
/// commas, or with semicolons and then also with decimal commas; numbers between spaces; the printed form and
/// repr of NumPy and PyTorch; nested lists of Python and JSON; MATLAB ("1 0; 0 1", with or without brackets);
/// LaTeX (matrix, bmatrix, pmatrix, array, or only the part between \begin and \end). A single row or a
/// single number becomes a matrix of one row. A first line and a first column of labels, as csv_text() and
/// spreadsheets write them, are left out. read_cell() says what a cell may contain.
///
/// An error message gives the row and column in the text, counted from 1 and including the labels. Errors: no
/// numbers; rows of different lengths; a cell that is not a finite float (unless it is −∞ and the rules allow
/// it); numbers replaced by "..."; more than one matrix; more than `max_text_cells` numbers; and a text that
/// can be read in two ways, such as "1,5; 2,5".
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
