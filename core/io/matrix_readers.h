#pragma once

#include <string_view>

#include "core/io/matrix_text.h"
#include "core/result.h"
#include "core/tensor/view.h"

namespace headscope {

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
