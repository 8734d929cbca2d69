#include "core/io/matrix_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/exact_text.h"

namespace headscope {
namespace {

/// Removes the prefix `begin`, or returns false.
bool take(std::string_view& text, std::string_view begin) {
  if (!text.starts_with(begin)) return false;
  text.remove_prefix(begin.size());
  return true;
}

/// Strips `open` and `close` if the text has both.
std::string_view unwrapped(std::string_view text, std::string_view open, std::string_view close) {
  if (text.size() < open.size() + close.size() || !text.starts_with(open) || !text.ends_with(close))
    return text;
  return text.substr(open.size(), text.size() - open.size() - close.size());
}

/// Strips braces that enclose the entire text, as in {-3}.
std::string_view without_braces(std::string_view text) {
  return text.find('}') + 1 == text.size() ? unwrapped(text, "{", "}") : text;
}

/// Whether an out-of-range decimal overflows rather than underflows.
bool is_large(std::string_view decimal) {
  const std::size_t e = std::min(decimal.find_first_of("eE"), decimal.size());
  std::string_view digits = decimal.substr(std::min(e + 1, decimal.size()));
  take(digits, "+");
  // An exponent beyond int stays 0; the decimal then counts as an overflow.
  int exponent = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  const std::string_view mantissa = decimal.substr(0, e);
  const std::size_t first = std::min(mantissa.find_first_of("123456789"), mantissa.size());
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  return exponent + static_cast<std::ptrdiff_t>(point) > static_cast<std::ptrdiff_t>(first);
}

/// Parses the entire text as an unsigned decimal; ∞ or 0 if out of range.
template <class Number>
std::optional<Number> read_decimal(std::string_view text) {
  if (text.empty() || std::string_view("0123456789.").find(text[0]) == std::string_view::npos)
    return std::nullopt;
  Number value = 0;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, value);
  if (read != end || error == std::errc::invalid_argument) return std::nullopt;
  if (error != std::errc{}) return is_large(text) ? std::numeric_limits<Number>::infinity() : Number{0};
  return value;
}

CellNumber finite_number(float value) {
  if (std::isinf(value)) return {0.0F, CellProblem::too_large};
  return {value, CellProblem::none};
}

CellNumber quotient(std::string_view above, std::string_view below) {
  const auto numerator = read_decimal<double>(trimmed(above));
  const auto denominator = read_decimal<double>(trimmed(below));
  if (!numerator || !denominator) return {0.0F, CellProblem::not_a_number};
  if (*denominator == 0.0) return {0.0F, CellProblem::divided_by_zero};
  constexpr double largest = std::numeric_limits<float>::max();
  const double value = *numerator / *denominator;
  if (std::isinf(*denominator) || value > largest) return {0.0F, CellProblem::too_large};
  return {static_cast<float>(value), CellProblem::none};
}

/// Rewrites 1.5\times10^{-3} as 1.5e-3. Empty if it is not such a product.
std::string with_exponent(std::string_view text) {
  for (const std::string_view sign : {"\\times", "\\cdot"}) {
    const std::size_t at = std::min(text.find(sign), text.size());
    const std::string_view mantissa = trimmed(text.substr(0, at));
    std::string_view power = trimmed(text.substr(std::min(at + sign.size(), text.size())));
    if (take(power, "10^") && mantissa.find_first_of("eE") == std::string_view::npos)
      return std::string(mantissa) + "e" + std::string(trimmed(without_braces(power)));
  }
  return {};
}

/// Recognises the names of ∞ and NaN, ignoring case, and "...".
CellProblem named_value(std::string_view text) {
  std::string lower(text.substr(0, 24));
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  std::string_view name = lower;
  for (const std::string_view module : {"np.", "numpy.", "torch.", "math."}) {
    if (take(name, module)) break;
  }
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
  };
  if (is_one_of({"nan", "\\mathrm{nan}"})) return CellProblem::nan;
  if (is_one_of({"inf", "infinity", "∞", "\\infty"})) return CellProblem::infinity;
  const bool is_dots = is_one_of({"...", "…", "\\dots", "\\ldots", "\\cdots", "\\vdots", "\\ddots"});
  return is_dots ? CellProblem::ellipsis : CellProblem::not_a_number;
}

CellNumber unsigned_number(std::string_view text) {
  if (const auto value = read_decimal<float>(text)) return finite_number(*value);
  for (const std::string_view fraction : {"\\frac{", "\\tfrac{", "\\dfrac{"}) {
    const std::string_view arguments = unwrapped(text, fraction, "}");
    const std::size_t between = arguments.find("}{");
    if (arguments.size() == text.size() || between == std::string_view::npos) continue;
    return quotient(arguments.substr(0, between), arguments.substr(between + 2));
  }
  if (const auto value = read_decimal<float>(with_exponent(text))) return finite_number(*value);
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) return quotient(text.substr(0, slash), text.substr(slash + 1));
  return {0.0F, named_value(text)};
}

/// Strips braces, or a call such as float("-inf"), around a number.
std::string_view without_wrapping(std::string_view text) {
  return trimmed(without_braces(unwrapped(unwrapped(text, "float(\"", "\")"), "float('", "')")));
}

/// The quoted text for messages, truncated if long.
std::string quoted_cell(std::string_view text) {
  constexpr std::size_t longest = 32;
  if (text.size() <= longest) return "\"" + std::string(text) + "\"";
  std::size_t end = longest;
  // Do not split a character.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return "\"" + std::string(text.substr(0, end)) + "…\"";
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto is_white = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!text.empty() && is_white(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_white(text.back())) text.remove_suffix(1);
  return text;
}

CellNumber parse_cell(std::string_view text, char decimal_mark) {
  text = trimmed(text);
  if (text.empty()) return {0.0F, CellProblem::empty};
  std::string with_point;
  if (decimal_mark != '.') {
    if (text.find('.') != std::string_view::npos) return {0.0F, CellProblem::not_a_number};
    with_point = text;
    std::ranges::replace(with_point, decimal_mark, '.');
    text = with_point;
  }
  text = without_wrapping(text);
  const bool is_negative = take(text, "-") || take(text, "−");  // U+2212
  if (!is_negative) take(text, "+");
  CellNumber number = unsigned_number(trimmed(text));
  if (!is_negative) return number;
  number.value = -number.value;
  if (number.problem != CellProblem::infinity) return number;
  return {-std::numeric_limits<float>::infinity(), CellProblem::minus_infinity};
}

std::string problem_text(CellProblem problem, std::string_view cell) {
  switch (problem) {
    case CellProblem::none:
      return {};
    case CellProblem::empty:
      return "is empty; write a number there, such as 0";
    case CellProblem::nan:
      return "is NaN, which cannot be computed with; write a number";
    case CellProblem::infinity:
      return "is infinite; write a finite number";
    case CellProblem::minus_infinity:
      return "is -inf, which is allowed only for scores; write a finite number";
    case CellProblem::too_large:
      return quoted_cell(cell) + " is too large for a 32-bit float (about 3.4e38); write a smaller number";
    case CellProblem::divided_by_zero:
      return quoted_cell(cell) + " divides by 0; write a number";
    case CellProblem::ellipsis:
      return "has " + quoted_cell(cell) +
             " in place of numbers; print the whole matrix (NumPy: np.set_printoptions(threshold=sys.maxsize), PyTorch: torch.set_printoptions(profile=\"full\"))";
    case CellProblem::not_a_number:
      break;
  }
  if (cell.find(',') != std::string_view::npos) {
    return quoted_cell(cell) +
           " is ambiguous; write a decimal point (0.5), and thousands without a separator (1234)";
  }
  return quoted_cell(cell) + " is not a number; write one such as 0.25, -1e-3 or 1/3";
}

namespace {

constexpr auto nowhere = std::string_view::npos;
constexpr std::string_view blanks = " \t\v\f";

bool has(std::string_view characters, char c) {
  return characters.find(c) != nowhere;
}

using Replacement = std::pair<std::string_view, std::string_view>;

constexpr std::array plain_forms{Replacement{"\r\n", "\n"},  Replacement{"\r", "\n"},
                                 Replacement{"\u00a0", " "}, Replacement{"\u2009", " "},
                                 Replacement{"\u202f", " "}, Replacement{"\ufeff", ""},
                                 Replacement{"−", "-"},      Replacement{"Parameter containing:\n", ""}};

/// Environments are brackets, row breaks are semicolons, and layout commands are blank.
constexpr std::array<Replacement, 23> latex_forms{
    {{"\\\\*", ";"},        {"\\\\", ";"},   {"\\begin{", "[[{"}, {"\\end{", "]]{"},  {"{,}", "."},
     {"\n", " "},           {"\\left", " "}, {"\\right", " "},    {"\\[", " "},       {"\\]", " "},
     {"\\(", " "},          {"\\)", " "},    {"\\,", " "},        {"\\;", " "},       {"\\!", " "},
     {"\\ ", " "},          {"\\quad", " "}, {"\\hline", " "},    {"\\toprule", " "}, {"\\midrule", " "},
     {"\\bottomrule", " "}, {"~", " "},      {"$", " "}}};

std::string replaced(std::string_view text, std::span<const Replacement> forms) {
  std::string firsts;
  for (const Replacement& form : forms) firsts += form.first[0];
  std::string result;
  result.reserve(text.size());
  for (;;) {
    const std::size_t at = std::min(text.find_first_of(firsts), text.size());
    result += text.substr(0, at);
    text.remove_prefix(at);
    if (text.empty()) return result;
    const auto form =
        std::ranges::find_if(forms, [&](const Replacement& each) { return text.starts_with(each.first); });
    result += form == forms.end() ? text.substr(0, 1) : form->second;
    text.remove_prefix(form == forms.end() ? 1 : form->first.size());
  }
}

/// The canonical form: rows are lines, with a separator between cells.
struct Table {
  std::string rows;
  char separator = ',';
  bool blanks_separate = false;  ///< white space also separates cells, and rows may end in a separator
  bool may_have_labels = true;
};

bool is_latex(std::string_view text) {
  if (text.find("\\begin{") != nowhere || text.find("\\end{") != nowhere) return true;
  text = trimmed(text);
  // Labels may contain these characters, but tables do not begin like this.
  const bool begins_so = !text.empty() && has("0123456789+-.\\${&", text[0]);
  return begins_so && (has(text, '&') || text.find("\\\\") != nowhere);
}

/// Removes the arguments before the text that say nothing about numbers, such as {c|c} of an array.
std::string_view after_arguments(std::string_view text, bool is_gap) {
  constexpr std::size_t max_argument_length = 80;
  for (;;) {
    const std::size_t begin = text.find_first_not_of(' ');
    const std::size_t end = text.substr(0, max_argument_length).find_first_of("}]");
    if (begin == nowhere || end == nowhere || !has("[{", text[begin])) return text;
    const std::string_view inner = text.substr(begin + 1, end - begin - 1);
    const bool has_unit = text[begin] == '[' && text[end - 1] >= 'a' && text[end - 1] <= 'z';
    if (is_gap ? !has_unit : inner.find_first_not_of("lcrtb| ") != nowhere) return text;
    text.remove_prefix(end + 1);
  }
}

/// Rewrites LaTeX as [[1 & 0; 0 & 1]].
std::string brackets_of_latex(std::string_view given) {
  const std::string text = replaced(given, latex_forms);
  std::string result;
  for (std::string_view rest = text; !rest.empty();) {
    const bool is_environment = rest.starts_with("[[{") || rest.starts_with("]]{");
    const bool is_gap = rest[0] == ';';
    result += rest.substr(0, is_environment ? 2 : 1);
    rest.remove_prefix(is_environment ? std::min(rest.find('}'), rest.size() - 1) + 1 : 1);
    if (is_environment || is_gap) rest = after_arguments(rest, is_gap);
  }
  return result;
}

/// Whether the text before a matrix is only a name or constructor: "W =", "np.array(".
bool is_name(std::string_view before) {
  const std::size_t size = before.find_last_not_of("([{|. \n") + 1;
  if (before.ends_with('(') && size > 0) {
    const std::size_t begin = before.find_last_of(" =:>*+-/^\\}", size - 1) + 1;
    return begin < size && !has("0123456789", before[begin]) && is_name(before.substr(0, begin));
  }
  return size == 0 || has("=:>", before[size - 1]);
}

/// The position of the opening bracket of a matrix, or npos for a table, whose labels may contain brackets.
std::size_t first_bracket(std::string_view text) {
  std::size_t first = text.find_first_of("[{(");
  if (first == nowhere) return nowhere;
  const std::size_t inner = text.find_first_not_of(" \n", first + 1);
  if (text[first] == '(' && inner != nowhere && text[inner] == '[') first = inner;
  std::string_view before = trimmed(text.substr(0, first));
  if (text[first] == '(' && before.ends_with("tensor")) before = text.substr(0, first + 1);
  const bool may_name =
      before.empty() || (before.find_first_of(",;\t\n\"\\") == nowhere && !has("0123456789", before[0]));
  return may_name && is_name(before) ? first : nowhere;
}

/// Whether line ends in a single pair of brackets end rows. NumPy and PyTorch break a long row at 75 or 80
/// characters, and a number takes at most 26. A shorter line is a row, as in MATLAB, unless it ends in a
/// comma, as in Python.
bool has_short_line(std::string_view text) {
  constexpr std::size_t shortest_broken_line = 48;
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != nowhere; begin = end + 1) {
    const std::string_view line = trimmed(text.substr(begin, end - begin));
    if (end - begin < shortest_broken_line && !line.empty() && !has(",;[{(", line.back())) return true;
  }
  return false;
}

tl::unexpected<Error> beside_matrix(std::string_view text, std::string_view side) {
  return failure("the text has " + quoted_cell(trimmed(text)) + " " + std::string(side) +
                 " the matrix, which is not computed; give only the matrix");
}

std::string place_text(std::size_t row, std::size_t col) {
  return "row " + std::to_string(row + 1) + ", column " + std::to_string(col + 1) +
         " of the text (counted from 1): ";
}

/// Outside of the rows, allows only further arguments of the constructor after the matrix.
Result<void> check_outside(std::string_view rest, bool is_after, const std::string& rows) {
  if (is_after && rest.find_first_not_of(")}|.,; \t\n") == nowhere) return {};
  const std::string_view word = rest.substr(0, rest.find_first_of(" \t\n,;[]{}()"));
  const std::string place = place_text(static_cast<std::size_t>(std::ranges::count(rows, '\n')), 0);
  if (parse_cell(word).problem == CellProblem::ellipsis)
    return failure(place + problem_text(CellProblem::ellipsis, word));
  if (!is_after)
    return failure(place + quoted_cell(word) +
                   " is outside the brackets of the rows; put every row in its own brackets");
  constexpr std::array<std::string_view, 5> arguments{"dtype", "device", "requires_grad", "grad_fn", "shape"};
  const auto begins_so = [&](std::string_view argument) { return rest.starts_with(argument); };
  if (std::ranges::any_of(arguments, begins_so) && !has(rest, '[')) return {};
  return beside_matrix(rest, "after");
}

/// Reads nested brackets, of which the innermost enclose a row or rows with semicolons or line ends between
/// them.
Result<Table> bracket_table(std::string_view text, char separator) {
  const char open = text[0];
  const char close = open == '[' ? ']' : open == '{' ? '}' : ')';
  int depth = 0;
  int deepest = 0;
  for (const char c : text) {
    if (c == open) deepest = std::max(deepest, ++depth);
    if (c == close && --depth < 0) break;
  }
  if (depth != 0)
    return failure(
        "the text has an unmatched bracket (or \\begin without \\end); copy the matrix from its first bracket to its last");
  const bool lines_are_rows = deepest == 1 && has_short_line(trimmed(text.substr(0, text.rfind(close))));
  Table table{"", separator, separator == ',', false};
  int n_matrices = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == open) {
      if (++depth == deepest - 1 && ++n_matrices > 1)
        return failure("the text has more than one matrix; copy only one of them, such as x[0]");
    } else if (c == close) {
      if (depth-- == deepest) table.rows += '\n';
    } else if (depth == deepest) {
      table.rows += c == ';' || (c == '\n' && lines_are_rows) ? '\n' : c == '\n' ? ' ' : c;
    } else if (!has(" \t\v\f\n,;", c)) {
      if (const auto allowed = check_outside(text.substr(at), depth == 0, table.rows); !allowed)
        return tl::unexpected(allowed.error());
      break;
    }
  }
  return table;
}

/// The end of the cell that begins here. A cell in quotes may contain separators, line ends and doubled
/// quotes.
std::size_t cell_end(std::string_view text, std::size_t at, std::string_view ends) {
  while (at < text.size() && text[at] == '"' && text.find('"', at + 1) != nowhere)
    at = text.find('"', at + 1) + 1;
  return std::min(text.find_first_of(ends, at), text.size());
}

using Rows = std::vector<std::vector<std::string_view>>;

/// Stops where there are more cells and labels than a matrix of max_text_cells numbers can have.
Rows rows_of(const Table& table) {
  const std::string_view text = table.rows;
  const std::string ends = std::string(table.blanks_separate ? blanks : "") + "\n" + table.separator;
  const auto skip_blanks = [&](std::size_t at) {
    return std::min(text.find_first_not_of(blanks, at), text.size());
  };
  Rows rows;
  std::size_t n_cells = 0;
  for (std::size_t at = 0; at < text.size() && n_cells <= 2 * max_text_cells + 2; ++at) {
    const std::size_t first = skip_blanks(at);
    const bool is_blank = first == text.size() || text[first] == '\n';
    if (is_blank) at = first;
    if (!is_blank) rows.emplace_back();
    for (bool has_more = !is_blank; has_more; ++n_cells) {
      if (table.separator != '\t') at = skip_blanks(at);
      const std::size_t end = cell_end(text, at, ends);
      const std::string_view cell = trimmed(text.substr(at, end - at));
      const bool is_quoted = cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
      rows.back().push_back(is_quoted ? cell.substr(1, cell.size() - 2) : cell);
      at = table.blanks_separate ? skip_blanks(end) : end;
      has_more = at < text.size() && text[at] == table.separator;
      if (has_more) ++at;
      if (table.blanks_separate) at = skip_blanks(at);
      if (table.blanks_separate) has_more = at < text.size() && text[at] != '\n';
      if (rows.back().size() > max_text_cells + 1) return rows;
    }
  }
  return rows;
}

/// Whether semicolons end rows, as in MATLAB without brackets, and do not separate the cells of lines: the
/// text is a single line, or every line but the last ends in a semicolon, or numbers are separated by spaces.
bool semicolons_end_rows(const Rows& lines) {
  const auto has_spaces = [](const auto& line) {
    const std::size_t space = line[0].find(' ');
    return space != nowhere && parse_cell(line[0].substr(0, space)).problem == CellProblem::none;
  };
  return std::ranges::any_of(lines, has_spaces) ||
         std::all_of(lines.begin(), lines.end() - 1, [](const auto& line) { return line.back().empty(); });
}

/// Whether 1,5;2,5 may mean either rows of two numbers or two numbers with decimal commas.
bool reads_two_ways(std::string_view text) {
  std::string marks;
  std::ranges::copy_if(text, std::back_inserter(marks), [](char c) { return has(",;", c); });
  return text.find_first_of(".\n ") == nowhere && has(marks, ',') && marks.find(",,") == nowhere;
}

Result<Table> table_of(const std::string& text) {
  if (is_latex(text)) {
    const std::string rows = brackets_of_latex(text);
    const std::size_t first = rows.find('[');
    if (first == nowhere) return bracket_table("[" + rows + "]", '&');
    const std::string_view before = std::string_view(rows).substr(0, first);
    if (!is_name(before)) return beside_matrix(before, "before");
    return bracket_table(std::string_view(rows).substr(first), '&');
  }
  const std::size_t bracket = first_bracket(text);
  if (bracket != nowhere) return bracket_table(std::string_view(text).substr(bracket), ',');
  std::string found = "\t;,";
  if (text.find('"') == nowhere) {
    std::erase_if(found, [&](char separator) { return text.find(separator) == nowhere; });
  } else {
    found.clear();
    for (std::size_t at = 0; (at = cell_end(text, at, "\t;,\n")) < text.size(); ++at) found += text[at];
  }
  if (has(found, '\t')) return Table{text, '\t'};
  if (!has(found, ';')) return Table{text, ',', !has(found, ',')};
  Table lines{text, ';'};
  if (!semicolons_end_rows(rows_of(lines))) return lines;
  if (!reads_two_ways(trimmed(text))) return bracket_table("[" + text + "]", ',');
  return failure(quoted_cell(trimmed(text)) +
                 " can be read in two ways; for rows write [1, 5; 2, 5], for decimals 1.5 2.5");
}

/// The number of header rows and of label columns.
using Labels = std::pair<std::size_t, std::size_t>;

/// A first row of labels has no numbers, or a corner that is empty or like "query \ key", which is followed
/// by them.
Labels labels_of(const Rows& rows) {
  // Infinity and NaN count as numbers, to be reported with their position later.
  const auto is_number = [](std::string_view cell) {
    return std::ranges::any_of(std::string_view(".,"), [&](char mark) {
      const CellProblem problem = parse_cell(cell, mark).problem;
      return problem != CellProblem::not_a_number && problem != CellProblem::empty;
    });
  };
  if (rows.size() < 2 || rows[0].size() < 2) return {};
  if (rows[0][0].empty() || rows[0][0].find(" \\ ") != nowhere) return {1, 1};
  if (std::ranges::any_of(rows[0], is_number)) return {};
  const bool has_numbers =
      std::any_of(rows.begin() + 1, rows.end(), [&](const auto& row) { return is_number(row[0]); });
  return {1, has_numbers ? std::size_t{0} : std::size_t{1}};
}

/// Whether the comma may separate thousands, as in 1,234 and 12,345,678. It may still be a decimal comma.
bool may_part_thousands(std::string_view cell) {
  if (cell.starts_with('-') || cell.starts_with('+')) cell.remove_prefix(1);
  const std::size_t comma = cell.find(',');
  if (comma == 0 || comma > 3 || cell[0] == '0') return false;
  for (std::size_t at = comma; at < cell.size(); at += 4) {
    const std::string_view group = cell.substr(at, 4);
    if (group.size() < 4 || group[0] != ',' || group.find_first_not_of("0123456789", 1) != nowhere)
      return false;
  }
  return true;
}

/// The comma, if no number has a point and not all commas may separate thousands. Semicolons separate cells
/// where the comma is the decimal mark.
char decimal_mark(const Rows& rows, const Labels& labels, char separator) {
  char mark = '.';
  for (std::size_t row = labels.first; row < rows.size(); ++row) {
    for (std::size_t col = labels.second; col < rows[row].size(); ++col) {
      const std::string_view cell = rows[row][col];
      if (has(cell, '.')) return '.';
      if (has(cell, ',') && (separator == ';' || !may_part_thousands(cell))) mark = ',';
    }
  }
  return mark;
}

bool is_allowed(const CellNumber& number, const MatrixTextRules& rules) {
  return number.problem == CellProblem::none ||
         (number.problem == CellProblem::minus_infinity && rules.allows_minus_infinity);
}

Result<OwnedMatrix> matrix_of(const Table& table, const MatrixTextRules& rules) {
  const Rows rows = rows_of(table);
  const Labels labels = table.may_have_labels ? labels_of(rows) : Labels{};
  const char mark = decimal_mark(rows, labels, table.separator);
  OwnedMatrix matrix;
  for (std::size_t row = labels.first; row < rows.size(); ++row, ++matrix.rows) {
    for (std::size_t col = labels.second; col < rows[row].size(); ++col) {
      const CellNumber number = parse_cell(rows[row][col], mark);
      if (!is_allowed(number, rules))
        return failure(place_text(row, col) + problem_text(number.problem, rows[row][col]));
      matrix.values.push_back(number.value);
      if (matrix.values.size() > max_text_cells) {
        return failure("the text has more than " + std::to_string(max_text_cells) +
                       " numbers, the most that can be read from a text; give a smaller matrix");
      }
    }
    const auto numbers = [&](std::size_t each) {
      const std::size_t n = rows[each].size() - labels.second;
      return std::to_string(n) + (n == 1 ? " number" : " numbers");
    };
    if (rows[row].size() != rows[labels.first].size()) {
      return failure("row " + std::to_string(row + 1) + " of the text (counted from 1) has " + numbers(row) +
                     ", but the rows before it have " + numbers(labels.first) +
                     "; give every row the same number of columns");
    }
  }
  if (matrix.values.empty())
    return failure("there are no numbers in the text; copy the cells of a matrix, such as 1 0; 0 1");
  matrix.cols = static_cast<int>(rows[labels.first].size() - labels.second);
  return matrix;
}

/// The delimiters of a form, and its names of ∞, −∞ and NaN.
struct FormWords {
  std::string_view begin, row_begin, between, row_end, between_rows, end;
  std::string_view infinity, minus_infinity, nan;
};

/// In the order of MatrixFormat.
constexpr std::array<FormWords, 6> words_of_forms{
    {{"", "", "\t", "", "\n", "\n", "inf", "-inf", "nan"},
     {"", "", ",", "", "\n", "\n", "inf", "-inf", "nan"},
     {"np.array([", "[", ", ", "]", ",\n          ", "], dtype=np.float32)", "np.inf", "-np.inf", "np.nan"},
     {"[", "[", ", ", "]", ",\n ", "]", "float(\"inf\")", "float(\"-inf\")", "float(\"nan\")"},
     {"\\begin{bmatrix}\n", "", " & ", "", " \\\\\n", "\n\\end{bmatrix}", "\\infty", "-\\infty",
      "\\mathrm{NaN}"},
     {"[", "", " ", "", "; ", "]", "Inf", "-Inf", "NaN"}}};

/// Writes 1e-05 as 1\times10^{-5} in LaTeX, and 1 as 1.0 in Python, where 1 would be an integer.
std::string number_of_form(float value, MatrixFormat form) {
  const FormWords& words = words_of_forms.at(static_cast<std::size_t>(form));
  if (std::isnan(value)) return std::string(words.nan);
  if (std::isinf(value)) return std::string(value > 0.0F ? words.infinity : words.minus_infinity);
  std::string decimal = exact_text(value);
  const std::size_t e = decimal.find('e');
  if (form == MatrixFormat::latex && e != std::string::npos) {
    int exponent = 0;
    const std::size_t digits = e + (decimal[e + 1] == '+' ? 2 : 1);
    std::from_chars(decimal.data() + digits, decimal.data() + decimal.size(), exponent);
    return decimal.substr(0, e) + "\\times10^{" + std::to_string(exponent) + "}";
  }
  const bool is_python = form == MatrixFormat::numpy || form == MatrixFormat::python;
  return is_python && decimal.find_first_of(".e") == std::string::npos ? decimal + ".0" : decimal;
}

}  // namespace

Result<OwnedMatrix> parse_matrix(std::string_view text, const MatrixTextRules& rules) {
  return table_of(replaced(text, plain_forms)).and_then([&](const Table& table) {
    return matrix_of(table, rules);
  });
}

Result<float> parse_matrix_number(std::string_view given, const MatrixTextRules& rules) {
  const std::string plain = replaced(given, plain_forms);
  const std::string_view text = trimmed(plain);
  const CellNumber number = parse_cell(text, decimal_mark({{text}}, {}, ','));
  if (is_allowed(number, rules)) return number.value;
  const std::string message = problem_text(number.problem, text);
  return failure(message.starts_with('"') ? message : "the cell " + message);
}

std::string matrix_text(const MatrixView& values, MatrixFormat form) {
  const FormWords& words = words_of_forms.at(static_cast<std::size_t>(form));
  std::string text(words.begin);
  for (int row = 0; row < values.rows; ++row) {
    if (row > 0) text += words.between_rows;
    text += words.row_begin;
    for (int col = 0; col < values.cols; ++col) {
      if (col > 0) text += words.between;
      text += number_of_form(values(row, col), form);
    }
    text += words.row_end;
  }
  text += words.end;
  return text;
}

}  // namespace headscope
