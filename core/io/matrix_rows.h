#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/io/matrix_text.h"
#include "core/result.h"
#include "core/tensor/view.h"

namespace headscope {

/// Collects a matrix cell by cell, in the order in which a reader finds the cells in a text.
class MatrixRows {
 public:
  explicit MatrixRows(const MatrixTextRules& rules, char decimal_mark = '.')
      : rules_(rules), decimal_mark_(decimal_mark) {}

  /// Sets the number of label rows and columns that the text has before the numbers. They are not part of the
  /// matrix, but error messages count them.
  void set_labels(int rows_before, int cols_before);

  /// Adds the next cell of the row.
  Result<void> add(std::string_view cell);
  /// Ends the row. A row without cells is skipped.
  Result<void> end_row();
  bool row_is_empty() const { return col_ == 0; }
  /// The place of the next cell in the text: "row 2, column 3 of the text (counted from 1)".
  std::string place() const;

  Result<OwnedMatrix> take();

 private:
  MatrixTextRules rules_;
  char decimal_mark_;
  int rows_before_ = 0;
  int cols_before_ = 0;
  int row_ = 0;
  int col_ = 0;
  int cols_ = 0;  ///< the number of columns of the first row
  std::vector<float> values_;
};

/// Lines of cells with a separator between them: a tab, a comma, a semicolon, or a space, which stands for
/// any white space.
struct TableText {
  std::string_view text;
  char separator = ' ';
};
Result<OwnedMatrix> read_table(const TableText& table, const MatrixTextRules& rules);

/// Numbers in brackets: a list of lists, or MATLAB's rows with semicolons between them. `open` and `close`
/// are the brackets.
struct BracketText {
  std::string_view text;
  char open = '[';
  char close = ']';
};
Result<OwnedMatrix> read_brackets(const BracketText& brackets, const MatrixTextRules& rules);

/// Reads cells separated by & in rows separated by \\, with or without \begin{…} and \end{…}.
Result<OwnedMatrix> read_latex(std::string_view text, const MatrixTextRules& rules);

}  // namespace headscope
