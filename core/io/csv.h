#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/tensor/view.h"

namespace headscope {

/// Writes a matrix as CSV (RFC 4180: comma, CRLF, quotes around a text that needs them). The first line holds
/// `axes`, which names the rows and columns ("query \ key"), and the column labels; every other line holds a
/// row label and the numbers of the row. A missing label is replaced by the index. A label that a spreadsheet
/// would take for a formula (it begins with = + − - @, a tab or a carriage return) gets an apostrophe in
/// front, which marks it as text. Numbers have 9 significant digits, enough to read back the same float, and
/// a decimal point in every locale; −∞ is "-inf".
std::string csv_text(const MatrixView& values, std::string_view axes, std::span<const std::string> row_labels,
                     std::span<const std::string> col_labels);

/// The separators of a table: those of CSV, or those for the clipboard, which are tabs and LF. Quotes enclose
/// a text that contains the separator.
struct TableStyle {
  char separator = ',';
  std::string_view line_end = "\r\n";
};
inline constexpr TableStyle csv_style{};
inline constexpr TableStyle clipboard_style{'\t', "\n"};

/// Write the same table in parts: its first line, and the lines of some rows, beginning with `first_row`.
std::string csv_head(std::string_view axes, int n_cols, std::span<const std::string> col_labels,
                     const TableStyle& style = csv_style);
std::string csv_lines(const MatrixView& rows, int first_row, std::span<const std::string> row_labels,
                      const TableStyle& style = csv_style);

/// A text entered by the user as a CSV field, with quotes, and with the apostrophe of labels, if needed.
std::string csv_field(std::string_view text);

}  // namespace headscope
