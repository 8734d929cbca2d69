#include "core/io/matrix_readers.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/io/matrix_number.h"

namespace headscope {
namespace {

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

bool is_blank_in_line(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/// Visits the cells of a table one after the other.
class TableCells {
 public:
  explicit TableCells(const TableText& table) : text_(table.text), separator_(table.separator) {}

  /// Moves to the next line that is not blank. Returns false at the end of the text.
  bool next_line() {
    while (at_ < text_.size()) {
      std::size_t first = at_;
      while (first < text_.size() && is_blank_in_line(text_[first])) ++first;
      if (first < text_.size() && text_[first] != '\n') {
        has_cell_ = true;
        if (separator_ == ' ') at_ = first;
        return true;
      }
      at_ = first + 1;
    }
    return false;
  }

  /// Gets the next cell of the line. Returns false at the end of the line.
  bool next_cell(std::string_view& cell) {
    if (!has_cell_) return false;
    const std::size_t end = cell_end();
    cell = trimmed(text_.substr(at_, end - at_));
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
    go_behind(end);
    return true;
  }

 private:
  bool ends_cell(char c) const {
    return c == '\n' || (separator_ == ' ' ? is_blank_in_line(c) : c == separator_);
  }

  /// The end of the cell that begins here.
  std::size_t cell_end() const {
    std::size_t end = at_;
    if (separator_ != ' ' && end < text_.size() && text_[end] == '"') {
      end = behind_quotes(end);
      while (end < text_.size() && (text_[end] == ' ' || text_[end] == '\r')) ++end;
      if (end == text_.size() || ends_cell(text_[end])) return end;
      end = at_;
    }
    while (end < text_.size() && !ends_cell(text_[end])) ++end;
    return end;
  }

  /// Returns the place after the quote that closes the one at `begin`. The quoted text may contain
  /// separators, line ends and doubled quotes. Returns `begin` if no quote closes it.
  std::size_t behind_quotes(std::size_t begin) const {
    std::size_t i = begin + 1;
    for (; i < text_.size(); ++i) {
      if (text_[i] != '"') continue;
      if (i + 1 == text_.size() || text_[i + 1] != '"') return i + 1;
      ++i;
    }
    return begin;
  }

  void go_behind(std::size_t end) {
    if (separator_ == ' ') {
      while (end < text_.size() && is_blank_in_line(text_[end])) ++end;
      has_cell_ = end < text_.size() && text_[end] != '\n';
      at_ = has_cell_ ? end : end + 1;
      return;
    }
    has_cell_ = end < text_.size() && text_[end] == separator_;
    at_ = end + 1;
  }

  std::string_view text_;
  char separator_;
  std::size_t at_ = 0;
  bool has_cell_ = false;
};

/// What is known about a table before its cells are read.
struct TableLook {
  int lines = 0;
  int first_line_cells = 0;
  bool first_line_has_numbers = false;
  bool first_column_has_numbers = false;  ///< below the first line
  bool corner_is_axes = false;  ///< the corner is empty or like "query \ key", as in a table with labels
  bool has_points = false;
  bool has_decimal_commas = false;  ///< commas that cannot separate thousands
  bool has_commas = false;

  bool has_head() const {
    return lines > 1 && first_line_cells > 1 && (!first_line_has_numbers || corner_is_axes);
  }
  bool has_row_labels() const { return has_head() && (corner_is_axes || !first_column_has_numbers); }
};

/// Whether a cell is meant as a number. Infinity and NaN count here because an error message names their
/// place later.
bool is_number_text(std::string_view cell) {
  const auto is_one = [&](char mark) {
    const CellProblem problem = read_cell(cell, mark).problem;
    return problem != CellProblem::not_a_number && problem != CellProblem::empty;
  };
  return is_one('.') || is_one(',');
}

/// Whether the comma may separate thousands, as in 1,234 and 12,345,678. It may still be a decimal comma.
bool may_part_thousands(std::string_view cell) {
  if (cell.starts_with('-') || cell.starts_with('+')) cell.remove_prefix(1);
  const std::size_t comma = cell.find(',');
  if (comma == 0 || comma > 3 || cell.front() == '0') return false;
  for (std::size_t i = comma; i < cell.size(); i += 4) {
    const std::string_view group = cell.substr(i, 4);
    const bool is_group = group.size() == 4 && group.front() == ',' &&
                          group.substr(1).find_first_not_of("0123456789") == std::string_view::npos;
    if (!is_group) return false;
  }
  return true;
}

void look_at_marks(TableLook& look, std::string_view cell) {
  const bool has_comma = cell.find(',') != std::string_view::npos;
  const bool has_point = cell.find('.') != std::string_view::npos;
  if ((!has_comma && !has_point) || cell.find_first_not_of("0123456789+-.,eE") != std::string_view::npos)
    return;
  look.has_points = look.has_points || has_point;
  look.has_commas = look.has_commas || has_comma;
  look.has_decimal_commas = look.has_decimal_commas || (has_comma && !may_part_thousands(cell));
}

/// Looks at no more cells than a table of max_text_cells numbers and its labels can have. A larger table is
/// refused when it is read, so the rest of it does not matter.
TableLook look_of(const TableText& table) {
  constexpr std::size_t most_cells = 2 * max_text_cells + 2;
  TableLook look;
  TableCells cells(table);
  std::string_view cell;
  std::size_t n_cells = 0;
  for (; n_cells <= most_cells && cells.next_line(); ++look.lines) {
    for (int col = 0; n_cells <= most_cells && cells.next_cell(cell); ++col, ++n_cells) {
      look_at_marks(look, cell);
      if (look.lines == 0) {
        ++look.first_line_cells;
        look.first_line_has_numbers = look.first_line_has_numbers || is_number_text(cell);
        if (col == 0) look.corner_is_axes = cell.empty() || cell.find(" \\ ") != std::string_view::npos;
      } else if (col == 0) {
        look.first_column_has_numbers = look.first_column_has_numbers || is_number_text(cell);
      }
    }
  }
  return look;
}

/// Semicolons separate cells where the comma is the decimal mark. With tabs, a comma that may separate
/// thousands is not certain to be a decimal comma.
char decimal_mark(const TableLook& look, char separator) {
  if (separator == ',' || look.has_points || !look.has_commas) return '.';
  return separator == ';' || look.has_decimal_commas ? ',' : '.';
}

/// NumPy and PyTorch break a long row at 75 or 80 characters, and a number takes at most 26. A line that is
/// shorter than this was therefore not broken by them but is a row, as in MATLAB.
constexpr std::size_t shortest_broken_line = 48;

bool is_white(char c) {
  return is_blank_in_line(c) || c == '\n';
}

/// The depth of the nested lists.
struct Nesting {
  int deepest = 0;
  bool is_balanced = true;
};

Nesting nesting_of(const BracketText& brackets) {
  Nesting nesting;
  int depth = 0;
  for (const char c : brackets.text) {
    if (c == brackets.open) nesting.deepest = std::max(nesting.deepest, ++depth);
    if (c == brackets.close && --depth < 0) break;
  }
  nesting.is_balanced = depth == 0;
  return nesting;
}

/// Reads the text between brackets character by character.
class BracketReader {
 public:
  BracketReader(const BracketText& brackets, const MatrixTextRules& rules)
      : brackets_(brackets), rows_(rules), nesting_(nesting_of(brackets)) {}

  Result<OwnedMatrix> read() {
    if (!nesting_.is_balanced) {
      return failure("the text has an unmatched bracket; copy the matrix from its first bracket to its last");
    }
    lines_are_rows_ = nesting_.deepest == 1 && has_short_lines();
    while (at_ < brackets_.text.size()) {
      if (const auto done = step(); !done) return tl::unexpected(done.error());
    }
    return rows_.take();
  }

 private:
  char here() const { return brackets_.text[at_]; }
  bool is_in_row() const { return depth_ == nesting_.deepest; }

  /// Whether a list without inner lists has lines that are too short to be part of a broken row and do not
  /// end in commas, as Python's lines do.
  bool has_short_lines() const {
    std::string_view rest = brackets_.text.substr(0, brackets_.text.rfind(brackets_.close));
    rest.remove_prefix(rest.find(brackets_.open) + 1);
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      const std::string_view line = trimmed(rest.substr(0, end));
      rest.remove_prefix(end + 1);
      if (line.empty() || line.ends_with(',') || line.ends_with(';')) continue;
      if (end < shortest_broken_line && !trimmed(rest).empty()) return true;
    }
    return false;
  }

  Result<void> step() {
    const char c = here();
    if (c == brackets_.open) return open();
    if (c == brackets_.close) return close();
    if (c == ',') return comma();
    if (c == ';' || (c == '\n' && lines_are_rows_)) return row_break();
    if (is_white(c)) {
      ++at_;
      return {};
    }
    return word();
  }

  Result<void> open() {
    ++at_;
    ++depth_;
    if (depth_ == nesting_.deepest - 1 && ++n_matrices_ > 1) {
      return failure("the text has more than one matrix; copy one of them, such as x[0]");
    }
    after_comma_ = true;
    return {};
  }

  Result<void> close() {
    ++at_;
    const bool was_row = is_in_row();
    --depth_;
    if (!was_row) return {};
    after_comma_ = false;
    return rows_.end_row();
  }

  /// Fails if no number precedes the comma.
  Result<void> comma() {
    ++at_;
    if (!is_in_row()) return {};
    if (after_comma_) return rows_.add("");
    after_comma_ = true;
    return {};
  }

  Result<void> row_break() {
    ++at_;
    if (!is_in_row()) return {};
    after_comma_ = true;
    return rows_.end_row();
  }

  Result<void> word() {
    const std::size_t begin = at_;
    while (at_ < brackets_.text.size() && !ends_word(here())) ++at_;
    const std::string_view text = brackets_.text.substr(begin, at_ - begin);
    if (is_in_row()) {
      after_comma_ = false;
      return rows_.add(text);
    }
    if (read_cell(text).problem == CellProblem::left_out) return rows_.add(text);
    return failure(rows_.place() + ": " + quoted_cell(text) +
                   " is outside the brackets of the rows; put every row in its own brackets");
  }

  bool ends_word(char c) const {
    return is_white(c) || c == ',' || c == ';' || c == brackets_.open || c == brackets_.close;
  }

  BracketText brackets_;
  MatrixRows rows_;
  Nesting nesting_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int n_matrices_ = 0;
  bool lines_are_rows_ = false;
  bool after_comma_ = true;  ///< no number since the last comma or the beginning of the row
};

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

Result<OwnedMatrix> read_table(const TableText& table, const MatrixTextRules& rules) {
  const TableLook look = look_of(table);
  const int labels = look.has_row_labels() ? 1 : 0;
  MatrixRows rows(rules, decimal_mark(look, table.separator));
  rows.set_labels(look.has_head() ? 1 : 0, labels);
  TableCells cells(table);
  std::string_view cell;
  for (int line = 0; cells.next_line(); ++line) {
    for (int col = 0; cells.next_cell(cell); ++col) {
      if ((look.has_head() && line == 0) || col < labels) continue;
      if (const auto added = rows.add(cell); !added) return tl::unexpected(added.error());
    }
    if (const auto ended = rows.end_row(); !ended) return tl::unexpected(ended.error());
  }
  return rows.take();
}

Result<OwnedMatrix> read_brackets(const BracketText& brackets, const MatrixTextRules& rules) {
  return BracketReader(brackets, rules).read();
}

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
