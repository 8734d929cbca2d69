#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/tensor/view.h"

namespace headscope {

/// The separators of a table: CSV, or tabs and LF for the clipboard. Fields that contain the separator are
/// quoted.
struct TableStyle {
  char separator = ',';
  std::string_view line_end = "\r\n";
};
inline constexpr TableStyle csv_style{};
inline constexpr TableStyle clipboard_style{'\t', "\n"};

/// The parts of a matrix as CSV (RFC 4180): the header line, which has the column labels after `axes`, which
/// names the rows and the columns; and the lines of rows from `first_row` on, with a row label and numbers.
/// Missing labels default to the index. Labels that a spreadsheet would take for a formula (beginning with =
/// + − - @, a tab or a carriage return) are prefixed with an apostrophe. Numbers have 9 significant digits,
/// which round-trip floats, and a decimal point in every locale; −∞ is "-inf".
std::string csv_head(std::string_view axes, int n_cols, std::span<const std::string> col_labels,
                     const TableStyle& style = csv_style);
std::string csv_lines(const MatrixView& rows, int first_row, std::span<const std::string> row_labels,
                      const TableStyle& style = csv_style);

/// Escapes user text as a CSV field, including the apostrophe of labels.
std::string csv_field(std::string_view text);

}  // namespace headscope
