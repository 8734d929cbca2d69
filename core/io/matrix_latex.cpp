#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "core/io/matrix_number.h"
#include "core/io/matrix_rows.h"

namespace headscope {
namespace {

constexpr std::string_view begin_command = "\\begin{";
constexpr std::string_view end_command = "\\end{";

/// White space, the commands for it, and delimiters of formulas and brackets around the matrix.
constexpr std::array<std::string_view, 13> no_content{
    "\\left", "\\right", "\\[", "\\]", "\\(", "\\)", "\\,", "\\;", "\\!", "\\ ", "\\quad", "~", "$"};

std::string_view without_spaces(std::string_view text) {
  for (bool changed = true; changed;) {
    text = trimmed(text);
    changed = false;
    for (const std::string_view command : no_content) {
      if (text.starts_with(command)) {
        text.remove_prefix(command.size());
        changed = true;
      } else if (text.ends_with(command)) {
        text.remove_suffix(command.size());
        changed = true;
      }
    }
  }
  return text;
}

/// Whether the text before or after a matrix consists only of brackets and of the name that the matrix is
/// given.
bool says_nothing(std::string_view beside) {
  const std::size_t equals = beside.rfind('=');
  if (equals != std::string_view::npos) beside.remove_prefix(equals + 1);
  for (std::string_view rest = without_spaces(beside);; rest = without_spaces(rest)) {
    if (rest.empty()) return true;
    if (std::string_view("[](){}|.,;").find(rest.front()) == std::string_view::npos) return false;
    rest.remove_prefix(1);
  }
}

/// Skips the arguments {…} or […] at the front that describe the columns of an array.
std::string_view behind_argument(std::string_view text) {
  const std::string_view rest = trimmed(text);
  const char close = rest.starts_with('{') ? '}' : ']';
  if (!rest.starts_with('{') && !rest.starts_with('[')) return text;
  const std::size_t end = rest.find(close);
  const bool is_argument = end != std::string_view::npos &&
                           rest.substr(1, end - 1).find_first_not_of("lcrtb| ") == std::string_view::npos;
  return is_argument ? behind_argument(rest.substr(end + 1)) : text;
}

/// The text between \begin{…} and \end{…}, or the whole text if it contains neither.
Result<std::string_view> matrix_body(std::string_view text) {
  const std::size_t begin = text.find(begin_command);
  const std::size_t end = text.find(end_command);
  if (begin == std::string_view::npos && end == std::string_view::npos) return without_spaces(text);
  const std::size_t opened = begin == std::string_view::npos ? begin : text.find('}', begin);
  const std::size_t closed = end == std::string_view::npos ? end : text.find('}', end);
  if (opened == std::string_view::npos || closed == std::string_view::npos || opened > end) {
    return failure(
        "the text has \\begin without \\end, or \\end without \\begin; copy the matrix from \\begin to \\end");
  }
  if (text.find(begin_command, opened) != std::string_view::npos) {
    return failure("the text has more than one \\begin; copy only one matrix");
  }
  for (const std::string_view beside : {text.substr(0, begin), text.substr(closed + 1)}) {
    if (says_nothing(beside)) continue;
    return failure("besides the matrix, the text has " + quoted_cell(trimmed(beside)) +
                   ", which is not computed; give only the matrix");
  }
  return behind_argument(text.substr(opened + 1, end - opened - 1));
}

/// Removes the braces of a cell such as {-1}, and replaces {,}, which TeX sets as a decimal comma without a
/// space after it, by a point.
std::string latex_cell(std::string_view text) {
  text = without_spaces(text);
  const bool is_in_braces =
      text.size() > 2 && text.starts_with('{') && text.find('}') == text.size() - 1 && text[1] != ',';
  std::string cell(is_in_braces ? text.substr(1, text.size() - 2) : text);
  constexpr std::string_view comma = "{,}";
  const std::size_t at = cell.find(comma);
  if (at != std::string::npos && cell.find('.') == std::string::npos) cell.replace(at, comma.size(), ".");
  return cell;
}

/// Removes rules such as \hline from a row, and the * or the gap such as [2pt] that follows the row break
/// before it.
std::string_view without_rules(std::string_view row, bool is_after_break) {
  row = trimmed(row);
  if (is_after_break && row.starts_with('*')) row.remove_prefix(1);
  if (is_after_break && row.starts_with('[')) row.remove_prefix(std::min(row.find(']'), row.size() - 1) + 1);
  constexpr std::array<std::string_view, 4> rules{"\\hline", "\\toprule", "\\midrule", "\\bottomrule"};
  for (bool changed = true; changed;) {
    row = trimmed(row);
    changed = false;
    for (const std::string_view rule : rules) {
      if (!row.starts_with(rule)) continue;
      row.remove_prefix(rule.size());
      changed = true;
    }
  }
  return row;
}

Result<void> add_latex_row(MatrixRows& rows, std::string_view row) {
  if (without_spaces(row).empty()) return {};
  for (;;) {
    const std::size_t end = std::min(row.find('&'), row.size());
    if (auto added = rows.add(latex_cell(row.substr(0, end))); !added) return added;
    if (end == row.size()) return rows.end_row();
    row.remove_prefix(end + 1);
  }
}

}  // namespace

Result<OwnedMatrix> read_latex(std::string_view text, const MatrixTextRules& rules) {
  const auto body = matrix_body(text);
  if (!body) return tl::unexpected(body.error());
  MatrixRows rows(rules);
  std::string_view rest = *body;
  for (bool is_after_break = false;; is_after_break = true) {
    const std::size_t end = std::min(rest.find("\\\\"), rest.size());
    const auto added = add_latex_row(rows, without_rules(rest.substr(0, end), is_after_break));
    if (!added) return tl::unexpected(added.error());
    if (end == rest.size()) return rows.take();
    rest.remove_prefix(end + 2);
  }
}

}  // namespace headscope
