#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/io/matrix_text.h"
#include "core/result.h"
#include "core/tensor/view.h"

namespace headscope {

/// A matrix that is made cell by cell, as a reader of text comes to them.
class MatrixRows {
 public:
  explicit MatrixRows(const MatrixTextRules& rules, char decimal_mark = '.')
      : rules_(rules), decimal_mark_(decimal_mark) {}

  /// Labels that are left out count in the places that errors name.
  void set_labels(int rows_before, int cols_before);

  /// The next cell of the row.
  Result<void> add(std::string_view cell);
  /// Ends the row; one without cells is none.
  Result<void> end_row();
  bool row_is_empty() const { return col_ == 0; }
  /// "row 2, column 3 (counted from 1)": where the next cell is in the text.
  std::string place() const;

  Result<OwnedMatrix> take();

 private:
  MatrixTextRules rules_;
  char decimal_mark_;
  int rows_before_ = 0;
  int cols_before_ = 0;
  int row_ = 0;
  int col_ = 0;
  int cols_ = 0;  ///< of the first row
  std::vector<float> values_;
};

/// Lines of cells between `separator`: a tab, comma or semicolon; or a space for any white space.
struct TableText {
  std::string_view text;
  char separator = ' ';
};
Result<OwnedMatrix> read_table(const TableText& table, const MatrixTextRules& rules);

/// Numbers in brackets: lists in a list, or MATLAB's rows between semicolons. `open` and `close` are the
/// brackets.
struct BracketText {
  std::string_view text;
  char open = '[';
  char close = ']';
};
Result<OwnedMatrix> read_brackets(const BracketText& brackets, const MatrixTextRules& rules);

/// Cells between & and rows between \\, with or without \begin{…} and \end{…}.
Result<OwnedMatrix> read_latex(std::string_view text, const MatrixTextRules& rules);

}  // namespace headscope
