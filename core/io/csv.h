#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/tensor/view.h"

namespace headscope {

/// A matrix as CSV (RFC 4180: comma, CRLF, quotes where a text needs them). The first line holds `axes`,
/// which says what runs down and across ("query \ key"), and the column labels; every other line a row label
/// and its numbers. A label that is missing is the index. A label that a spreadsheet would take for a formula
/// (it begins with = + − - @, a tab or a carriage return) has an apostrophe before it, which says that text
/// follows. Numbers have 9 significant digits, enough to read
/// back the same float, and a decimal point in every locale; −∞ is "-inf".
std::string csv_text(const MatrixView& values, std::string_view axes, std::span<const std::string> row_labels,
                     std::span<const std::string> col_labels);

/// How a table is written: as CSV, or for the clipboard, with tabs, LF, and quotes where a text has a tab.
struct TableStyle {
  char separator = ',';
  std::string_view line_end = "\r\n";
};
inline constexpr TableStyle csv_style{};
inline constexpr TableStyle clipboard_style{'\t', "\n"};

/// The same in parts: its first line, and the lines of some rows from `first_row` on.
std::string csv_head(std::string_view axes, int n_cols, std::span<const std::string> col_labels,
                     const TableStyle& style = csv_style);
std::string csv_lines(const MatrixView& rows, int first_row, std::span<const std::string> row_labels,
                      const TableStyle& style = csv_style);

}  // namespace headscope
