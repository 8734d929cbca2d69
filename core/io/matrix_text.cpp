#include "core/io/matrix_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "core/exact_text.h"
#include "core/io/matrix_number.h"
#include "core/io/matrix_readers.h"

namespace headscope {
namespace {

constexpr auto nowhere = std::string_view::npos;

/// Replaces all line ends by LF and typographic spaces by plain ones, and removes byte-order marks.
std::string plain_text(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> same{
      {{"\r\n", "\n"}, {"\r", "\n"}, {"\u00a0", " "}, {"\u2009", " "}, {"\u202f", " "}, {"\ufeff", ""}}};
  std::string plain;
  plain.reserve(text.size());
  const auto is_special = [](char c) { return c == '\r' || (static_cast<unsigned char>(c) & 0x80U) != 0; };
  while (!text.empty()) {
    const auto plain_end = std::ranges::find_if(text, is_special);
    plain.append(text.begin(), plain_end);
    text.remove_prefix(static_cast<std::size_t>(plain_end - text.begin()));
    if (text.empty()) break;
    const auto* const found =
        std::ranges::find_if(same, [&](const auto& pair) { return text.starts_with(pair.first); });
    plain += found == same.end() ? text.substr(0, 1) : found->second;
    text.remove_prefix(found == same.end() ? 1 : found->first.size());
  }
  return plain;
}

bool is_latex(std::string_view text) {
  if (text.find("\\begin{") != nowhere || text.find("\\end{") != nowhere) return true;
  const std::string_view rest = trimmed(text);
  // A table with labels may contain these characters, but it does not begin like this.
  const bool begins_so =
      !rest.empty() && std::string_view("0123456789+-.\\${&").find(rest.front()) != nowhere;
  return begins_so && (rest.find('&') != nowhere || rest.find("\\\\") != nowhere);
}

/// The place of the first bracket, if only the name of a matrix or of a function that makes one comes before
/// it.
std::size_t first_bracket(std::string_view text) {
  const std::size_t bracket = std::min({text.find('['), text.find('{'), text.find('(')});
  if (bracket == nowhere) return nowhere;
  // In np.array([[1, 0]]), the parenthesis belongs to the call.
  const std::size_t list = text[bracket] == '(' ? text.find_first_not_of(" \n", bracket + 1) : nowhere;
  const bool is_call = bracket > 0 && list != nowhere && text[list] == '[';
  const std::size_t first = is_call ? list : bracket;
  const std::string_view before = trimmed(text.substr(0, first));
  if (before.empty() || (text[first] == '(' && before.ends_with("tensor"))) return first;
  const bool names_it = std::string_view("=(:>").find(before.back()) != nowhere &&
                        before.find_first_of(",;\t\n\"\\") == nowhere &&
                        !(before[0] >= '0' && before[0] <= '9');
  return names_it ? first : nowhere;
}

/// Whether the text may follow a printed matrix, as the other arguments of the function that makes it do.
bool may_follow(std::string_view rest) {
  const std::size_t first = rest.find_first_not_of(" \n\t),;");
  if (first == nowhere) return true;
  constexpr std::array<std::string_view, 5> arguments{"dtype", "device", "requires_grad", "grad_fn", "shape"};
  return rest[0] == ',' && std::ranges::any_of(arguments, [&](std::string_view argument) {
           return rest.substr(first).starts_with(argument);
         });
}

Result<OwnedMatrix> read_from_bracket(std::string_view text, std::size_t first,
                                      const MatrixTextRules& rules) {
  const char open = text[first];
  const char close = open == '[' ? ']' : open == '{' ? '}' : ')';
  std::string_view lists = text.substr(first);
  // A dtype or shape after the last list may contain brackets as well.
  const std::size_t arguments = lists.find('=');
  const std::size_t last = lists.substr(0, arguments).rfind(close);
  if (last != nowhere) {
    const std::string_view rest = trimmed(lists.substr(last + 1));
    if (!may_follow(rest)) {
      return failure("the text has " + quoted_cell(rest) + " after the matrix; give only the matrix");
    }
    lists = lists.substr(0, last + 1);
  }
  return read_brackets({lists, open, close}, rules);
}

std::string_view line_of(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = trimmed(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

/// Whether semicolons separate rows, as in MATLAB without brackets: the text is a single line, or every line
/// but the last ends in a semicolon, or a cell contains numbers separated by spaces. Otherwise semicolons
/// separate the cells of a line.
bool has_rows_between_semicolons(std::string_view text) {
  bool every_line_ends_so = true;
  bool previous_ended_so = true;
  int n_lines = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = line_of(rest);
    if (line.empty()) continue;
    ++n_lines;
    every_line_ends_so = every_line_ends_so && previous_ended_so;
    previous_ended_so = line.ends_with(';');
    const std::string_view first_cell = trimmed(line.substr(0, line.find(';')));
    const std::size_t space = first_cell.find(' ');
    if (space != nowhere && read_cell(first_cell.substr(0, space)).problem == CellProblem::none) return true;
  }
  return n_lines == 1 || every_line_ends_so;
}

/// Whether a single line such as 1,5;2,5 may mean either rows of two numbers or two numbers with decimal
/// commas.
bool reads_two_ways(std::string_view text) {
  if (text.find(',') == nowhere || text.find_first_of(".\n ") != nowhere) return false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    if (std::ranges::count(text.substr(begin, end - begin), ',') > 1) return false;
    begin = end + 1;
  }
  return true;
}

Result<OwnedMatrix> read_semicolons(std::string_view text, const MatrixTextRules& rules) {
  if (!has_rows_between_semicolons(text)) return read_table({text, ';'}, rules);
  if (reads_two_ways(trimmed(text))) {
    return failure(quoted_cell(trimmed(text)) +
                   " can be read in two ways; for rows write [1, 5; 2, 5], for decimals 1.5 2.5");
  }
  const std::string in_brackets = "[" + std::string(text) + "]";
  return read_brackets({in_brackets}, rules);
}

bool has_outside_quotes(std::string_view text, char wanted) {
  bool is_quoted = false;
  for (const char c : text) {
    if (c == '"') is_quoted = !is_quoted;
    if (c == wanted && !is_quoted) return true;
  }
  return false;
}

/// The texts that a form puts around and between its numbers, and its names of ∞, −∞ and NaN.
struct FormWords {
  std::string_view begin;
  std::string_view row_begin;
  std::string_view between;
  std::string_view row_end;
  std::string_view between_rows;
  std::string_view end;
  std::string_view infinity;
  std::string_view minus_infinity;
  std::string_view nan;
};

constexpr FormWords words_of_form(MatrixForm form) {
  switch (form) {
    case MatrixForm::csv:
      return {"", "", ",", "", "\n", "\n", "inf", "-inf", "nan"};
    case MatrixForm::numpy:
      return {"np.array([",           "[",      ", ",      "]",     ",\n          ",
              "], dtype=np.float32)", "np.inf", "-np.inf", "np.nan"};
    case MatrixForm::python:
      return {"[", "[", ", ", "]", ",\n ", "]", "float(\"inf\")", "float(\"-inf\")", "float(\"nan\")"};
    case MatrixForm::latex:
      return {"\\begin{bmatrix}\n", "", " & ", "", " \\\\\n", "\n\\end{bmatrix}", "\\infty", "-\\infty",
              "\\mathrm{NaN}"};
    case MatrixForm::matlab:
      return {"[", "", " ", "", "; ", "]", "Inf", "-Inf", "NaN"};
    case MatrixForm::spreadsheet:
      break;
  }
  return {"", "", "\t", "", "\n", "\n", "inf", "-inf", "nan"};
}

/// Writes 1e-05 as 1\times10^{-5} in LaTeX, and 1 as 1.0 in Python, where 1 would be an integer.
std::string decimal_of_form(float value, MatrixForm form) {
  std::string decimal = exact_text(value);
  const std::size_t e = decimal.find('e');
  if (form == MatrixForm::latex && e != std::string::npos) {
    int exponent = 0;
    const std::size_t digits = e + (decimal[e + 1] == '+' ? 2 : 1);
    std::from_chars(decimal.data() + digits, decimal.data() + decimal.size(), exponent);
    return decimal.substr(0, e) + "\\times10^{" + std::to_string(exponent) + "}";
  }
  const bool is_python = form == MatrixForm::numpy || form == MatrixForm::python;
  if (is_python && decimal.find_first_of(".e") == std::string::npos) decimal += ".0";
  return decimal;
}

void append_form_number(std::string& text, float value, MatrixForm form) {
  const FormWords words = words_of_form(form);
  if (std::isnan(value)) {
    text += words.nan;
  } else if (std::isinf(value)) {
    text += value > 0.0F ? words.infinity : words.minus_infinity;
  } else {
    text += decimal_of_form(value, form);
  }
}

}  // namespace

Result<OwnedMatrix> read_matrix_text(std::string_view given, const MatrixTextRules& rules) {
  const std::string text = plain_text(given);
  if (is_latex(text)) return read_latex(text, rules);
  const std::size_t bracket = first_bracket(text);
  if (bracket != nowhere) return read_from_bracket(text, bracket, rules);
  if (has_outside_quotes(text, '\t')) return read_table({text, '\t'}, rules);
  if (has_outside_quotes(text, ';')) return read_semicolons(text, rules);
  return read_table({text, has_outside_quotes(text, ',') ? ',' : ' '}, rules);
}

Result<float> read_number_text(std::string_view given, const MatrixTextRules& rules) {
  const std::string plain = plain_text(given);
  const std::string_view text = trimmed(plain);
  CellNumber number = read_cell(text);
  const std::size_t comma = text.find(',');
  // 1,234 may mean one thousand two hundred thirty-four.
  const bool may_be_thousands =
      comma != nowhere && comma > 0 && text.size() - comma == 4 && text.find_first_of("123456789") < comma;
  if (number.problem == CellProblem::not_a_number && comma != nowhere && !may_be_thousands) {
    const CellNumber with_comma = read_cell(text, ',');
    if (with_comma.problem == CellProblem::none) number = with_comma;
  }
  if (number.problem == CellProblem::none) return number.value;
  if (number.problem == CellProblem::minus_infinity && rules.allows_minus_infinity) return number.value;
  const std::string message = problem_text(number.problem, text);
  return failure(message.starts_with('"') ? message : "the cell " + message);
}

std::string matrix_text(const MatrixView& values, MatrixForm form) {
  const FormWords words = words_of_form(form);
  std::string text(words.begin);
  for (int row = 0; row < values.rows; ++row) {
    if (row > 0) text += words.between_rows;
    text += words.row_begin;
    for (int col = 0; col < values.cols; ++col) {
      if (col > 0) text += words.between;
      append_form_number(text, values(row, col), form);
    }
    text += words.row_end;
  }
  text += words.end;
  return text;
}

}  // namespace headscope
