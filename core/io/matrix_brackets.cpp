#include <algorithm>
#include <array>
#include <cstddef>

#include "core/io/matrix_number.h"
#include "core/io/matrix_rows.h"

namespace headscope {
namespace {

/// NumPy and PyTorch break a long row at 75 or 80 characters, and a number takes at most 26. A line that is
/// shorter than this was therefore not broken by them but is a row, as in MATLAB.
constexpr std::size_t shortest_broken_line = 48;

bool is_white(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
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

}  // namespace

Result<OwnedMatrix> read_brackets(const BracketText& brackets, const MatrixTextRules& rules) {
  return BracketReader(brackets, rules).read();
}

}  // namespace headscope
