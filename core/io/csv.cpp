#include "core/io/csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace headscope {
namespace {

constexpr int round_trip_digits = 9;  // std::numeric_limits<float>::max_digits10

void append_field(std::string& csv, std::string_view text, char separator) {
  if (text.find_first_of("\"\r\n") == std::string_view::npos &&
      text.find(separator) == std::string_view::npos) {
    csv += text;
    return;
  }
  csv += '"';
  for (const char c : text) {
    if (c == '"') csv += '"';
    csv += c;
  }
  csv += '"';
}

/// Some spreadsheets also treat the full-width forms of these characters as the beginning of a formula.
bool is_taken_for_formula(std::string_view text) {
  constexpr std::array<std::string_view, 11> beginnings{"=", "+",  "-",  "@",  "\t", "\r",
                                                        "−", "＝", "＋", "－", "＠"};
  return std::ranges::any_of(beginnings, [&](std::string_view begin) { return text.starts_with(begin); });
}

void append_label(std::string& csv, std::span<const std::string> labels, int index, char separator) {
  const auto i = static_cast<std::size_t>(index);
  if (i >= labels.size()) return append_field(csv, std::to_string(index), separator);
  append_field(csv, is_taken_for_formula(labels[i]) ? "'" + labels[i] : labels[i], separator);
}

void append_number(std::string& csv, float value) {
  if (std::isnan(value)) value = std::numeric_limits<float>::quiet_NaN();  // "nan" without a sign
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value,
                                          std::chars_format::general, round_trip_digits);
  if (error == std::errc{}) csv.append(text.data(), end);
}

}  // namespace

std::string csv_head(std::string_view axes, int n_cols, std::span<const std::string> col_labels,
                     const TableStyle& style) {
  std::string csv;
  append_field(csv, axes, style.separator);
  for (int col = 0; col < n_cols; ++col) {
    csv += style.separator;
    append_label(csv, col_labels, col, style.separator);
  }
  csv += style.line_end;
  return csv;
}

std::string csv_lines(const MatrixView& rows, int first_row, std::span<const std::string> row_labels,
                      const TableStyle& style) {
  std::string csv;
  for (int row = 0; row < rows.rows; ++row) {
    append_label(csv, row_labels, first_row + row, style.separator);
    for (const float number : rows.row(row)) {
      csv += style.separator;
      append_number(csv, number);
    }
    csv += style.line_end;
  }
  return csv;
}

std::string csv_field(std::string_view text) {
  std::string csv;
  const std::string marked = (is_taken_for_formula(text) ? "'" : "") + std::string(text);
  append_field(csv, marked, csv_style.separator);
  return csv;
}

}  // namespace headscope
