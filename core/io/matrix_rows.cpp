#include "core/io/matrix_rows.h"

#include <utility>

#include "core/io/matrix_number.h"

namespace headscope {

void MatrixRows::set_labels(int rows_before, int cols_before) {
  rows_before_ = rows_before;
  cols_before_ = cols_before;
}

std::string MatrixRows::place() const {
  return "row " + std::to_string(rows_before_ + row_ + 1) + ", column " +
         std::to_string(cols_before_ + col_ + 1) + " of the text (counted from 1)";
}

Result<void> MatrixRows::add(std::string_view cell) {
  const CellNumber number = read_cell(cell, decimal_mark_);
  const bool is_allowed = number.problem == CellProblem::none ||
                          (number.problem == CellProblem::minus_infinity && rules_.allows_minus_infinity);
  if (!is_allowed) return failure(place() + ": " + problem_text(number.problem, trimmed(cell)));
  if (values_.size() == max_text_cells) {
    return failure("the text has more than " + std::to_string(max_text_cells) +
                   " numbers, the most that can be read from a text; give a smaller matrix");
  }
  values_.push_back(number.value);
  ++col_;
  return {};
}

Result<void> MatrixRows::end_row() {
  if (col_ == 0) return {};
  if (row_ == 0) cols_ = col_;
  if (col_ != cols_) {
    const auto numbers = [](int n) { return std::to_string(n) + (n == 1 ? " number" : " numbers"); };
    return failure("row " + std::to_string(rows_before_ + row_ + 1) + " of the text (counted from 1) has " +
                   numbers(col_) + ", but the rows before it have " + numbers(cols_) +
                   "; give every row the same number of columns");
  }
  ++row_;
  col_ = 0;
  return {};
}

Result<OwnedMatrix> MatrixRows::take() {
  if (row_ == 0) {
    return failure("there are no numbers in the text; copy the cells of a matrix, such as 1 0; 0 1");
  }
  OwnedMatrix matrix;
  matrix.rows = row_;
  matrix.cols = cols_;
  matrix.values = std::move(values_);
  return matrix;
}

}  // namespace headscope
