#include "core/io/matrix_number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <system_error>

namespace headscope {
namespace {

constexpr std::string_view minus_sign = "−";  // U+2212
constexpr std::size_t longest_number = 400;   // in characters; no double needs as many

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Removes `begin` from the front of the text. Returns false if the text does not begin with it.
bool take(std::string_view& text, std::string_view begin) {
  if (!text.starts_with(begin)) return false;
  text.remove_prefix(begin.size());
  return true;
}

/// Whether a decimal outside the range of a double is too large rather than too close to 0: its exponent is
/// not negative, and it has a non-zero digit before the point or a positive exponent.
bool is_large(std::string_view decimal) {
  const std::size_t e = std::min(decimal.find_first_of("eE"), decimal.size());
  if (e + 1 < decimal.size() && decimal[e + 1] == '-') return false;
  const std::string_view mantissa = decimal.substr(0, e);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = mantissa.find_first_of("123456789");
  return first != std::string_view::npos && (first < point || e < decimal.size());
}

/// Reads the whole text as a decimal without a sign.
std::optional<double> read_decimal(std::string_view text) {
  if (text.empty() || !(is_digit(text[0]) || (text[0] == '.' && text.size() > 1 && is_digit(text[1])))) {
    return std::nullopt;
  }
  double value = 0.0;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, value);
  if (read != end || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    return is_large(text) ? std::numeric_limits<double>::infinity() : 0.0;
  }
  return value;
}

/// Handles the usual case, which covers most of a large matrix. It rounds once, to the nearest float.
std::optional<float> plain_decimal(std::string_view text) {
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  if (text.size() <= sign || !(is_digit(text[sign]) || text[sign] == '.')) return std::nullopt;
  float value = 0.0F;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

CellNumber rounded_number(double value) {
  const auto number = static_cast<float>(std::clamp(value, -double{std::numeric_limits<float>::max()},
                                                    double{std::numeric_limits<float>::max()}));
  // Values from half a step above the largest float on would round to ∞.
  constexpr double first_too_large = 0x1.ffffffp127;
  if (std::abs(value) >= first_too_large) return {0.0F, CellProblem::too_large};
  return {number, CellProblem::none};
}

CellNumber quotient(std::string_view above, std::string_view below) {
  const auto numerator = read_decimal(trimmed(above));
  const auto denominator = read_decimal(trimmed(below));
  if (!numerator || !denominator) return {0.0F, CellProblem::not_a_number};
  if (*denominator == 0.0) return {0.0F, CellProblem::divided_by_zero};
  if (std::isinf(*denominator)) return {0.0F, CellProblem::too_large};
  return rounded_number(*numerator / *denominator);
}

/// Reads {a}{b}, the arguments of \frac.
CellNumber latex_fraction(std::string_view text) {
  const std::size_t between = text.find("}{");
  if (!text.starts_with('{') || !text.ends_with('}') || between == std::string_view::npos) {
    return {0.0F, CellProblem::not_a_number};
  }
  return quotient(text.substr(1, between - 1), text.substr(between + 2, text.size() - between - 3));
}

/// Where \times10^ or \cdot 10^ begins and ends in a text such as 1.5\times10^{-3}.
struct PowerOfTen {
  std::size_t begin = std::string_view::npos;
  std::size_t end = 0;
};

PowerOfTen power_of_ten(std::string_view text) {
  for (const std::string_view sign : {std::string_view("\\times"), std::string_view("\\cdot")}) {
    const std::size_t begin = text.find(sign);
    if (begin == std::string_view::npos) continue;
    std::string_view rest = text.substr(begin + sign.size());
    while (take(rest, " ")) continue;
    if (take(rest, "10^")) return {begin, text.size() - rest.size()};
  }
  return {};
}

CellNumber scientific(std::string_view mantissa, std::string_view exponent) {
  if (exponent.size() > 2 && exponent.front() == '{' && exponent.back() == '}') {
    exponent = exponent.substr(1, exponent.size() - 2);
  }
  std::string decimal(trimmed(mantissa));
  if (!read_decimal(decimal) || decimal.find_first_of("eE") != std::string::npos) {
    return {0.0F, CellProblem::not_a_number};
  }
  decimal += 'e';
  decimal += trimmed(exponent);
  return read_cell(decimal);
}

/// Recognises the names that programs give to ∞ and NaN, in upper or lower case.
CellProblem named_value(std::string_view text) {
  if (text.size() > 16) return CellProblem::not_a_number;
  std::string name;
  for (const char c : text) name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  std::string_view rest = name;
  for (const std::string_view module : {"np.", "numpy.", "torch.", "math.", "\\mathrm{"}) take(rest, module);
  if (rest == "nan" || rest == "nan}") return CellProblem::nan;
  const std::array names{"inf", "infinity", "∞", "\\infty"};
  return std::ranges::find(names, rest) != names.end() ? CellProblem::infinity : CellProblem::not_a_number;
}

/// Extracts the number from a call such as float("-inf"), where it is in quotes.
std::string_view without_float_call(std::string_view text) {
  std::string_view inner = text;
  if (!take(inner, "float(") || inner.size() < 4 || !inner.ends_with(')')) return text;
  inner.remove_suffix(1);
  const bool is_quoted = inner.front() == inner.back() && (inner.front() == '"' || inner.front() == '\'');
  return is_quoted ? inner.substr(1, inner.size() - 2) : text;
}

/// Reads a number without a sign.
CellNumber unsigned_number(std::string_view text) {
  if (const auto value = plain_decimal(text)) return {*value, CellProblem::none};
  if (const auto decimal = read_decimal(text)) return rounded_number(*decimal);
  for (const std::string_view fraction : {"\\frac", "\\tfrac", "\\dfrac"}) {
    std::string_view rest = text;
    if (take(rest, fraction)) return latex_fraction(rest);
  }
  const PowerOfTen power = power_of_ten(text);
  if (power.begin != std::string_view::npos) {
    return scientific(text.substr(0, power.begin), text.substr(power.end));
  }
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) return quotient(text.substr(0, slash), text.substr(slash + 1));
  const std::array dots{"...", "…", "\\dots", "\\ldots", "\\cdots", "\\vdots", "\\ddots"};
  if (std::ranges::find(dots, text) != dots.end()) return {0.0F, CellProblem::left_out};
  return {0.0F, named_value(text)};
}

/// Reads a number that uses a decimal point and may have a sign.
CellNumber signed_number(std::string_view text) {
  bool is_negative = take(text, "-") || take(text, minus_sign);
  if (!is_negative) take(text, "+");
  CellNumber number = unsigned_number(trimmed(text));
  if (!is_negative) return number;
  number.value = -number.value;
  if (number.problem == CellProblem::infinity) {
    return {-std::numeric_limits<float>::infinity(), CellProblem::minus_infinity};
  }
  return number;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto is_white = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!text.empty() && is_white(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_white(text.back())) text.remove_suffix(1);
  return text;
}

CellNumber read_cell(std::string_view text, char decimal_mark) {
  text = trimmed(text);
  if (text.empty()) return {0.0F, CellProblem::empty};
  if (decimal_mark != '.' && text.find_first_of(".,") != std::string_view::npos) {
    if (text.size() > longest_number || text.find('.') != std::string_view::npos) {
      return {0.0F, CellProblem::not_a_number};
    }
    std::string with_point(text);
    std::ranges::replace(with_point, decimal_mark, '.');
    return read_cell(with_point);
  }
  if (const auto value = plain_decimal(text)) return {*value, CellProblem::none};
  return signed_number(without_float_call(text));
}

std::string quoted_cell(std::string_view text) {
  constexpr std::size_t longest = 32;
  if (text.size() <= longest) return "\"" + std::string(text) + "\"";
  std::size_t end = longest;
  // The cut must not split a character.
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
    case CellProblem::left_out:
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
