#include "core/io/matrix_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <optional>
#include <system_error>

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

std::string quoted_cell(std::string_view text) {
  constexpr std::size_t longest = 32;
  if (text.size() <= longest) return "\"" + std::string(text) + "\"";
  std::size_t end = longest;
  // Do not split a character.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return "\"" + std::string(text.substr(0, end)) + "…\"";
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

}  // namespace headscope
