#include <algorithm>
#include <cstddef>

#include "core/io/matrix_number.h"
#include "core/io/matrix_rows.h"

namespace headscope {
namespace {

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

}  // namespace headscope
