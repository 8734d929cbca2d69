#include "core/figure/cell_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "core/figure/text_fit.h"

namespace headscope {
namespace {

constexpr std::string_view minus = "−";
/// With two digits, smaller numbers would read 0, and numbers from 0.995 on would read 1. With three digits,
/// numbers from 0.9995 on would read 1.
constexpr double least_two_digits = 0.005;
constexpr double least_above_two_nines = 0.995;
constexpr double least_above_three_nines = 0.9995;

std::string with_digits(const char* format, int digits, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, digits, value);
  return text.data();
}

/// Turns "0.12" into ".12".
std::string without_leading_zero(const std::string& text) {
  return text.rfind("0.", 0) == 0 ? text.substr(1) : text;
}

/// Turns "1e+06" into "1e6", and "2e-05" into "2e−5".
std::string short_exponent(const std::string& text) {
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  std::string exponent = text.substr(e + 2);
  exponent.erase(0, std::min(exponent.find_first_not_of('0'), exponent.size() - 1));
  return text.substr(0, e + 1) + (text[e + 1] == '-' ? std::string(minus) : "") + exponent;
}

std::string text_below_one(double magnitude, bool negative) {
  if (magnitude < least_two_digits) return negative ? ">−.01" : "<.01";
  const std::string sign(negative ? minus : "");
  if (magnitude >= least_above_three_nines) return negative ? "<−.999" : ">.999";
  const int digits = magnitude >= least_above_two_nines ? 3 : 2;
  return sign + without_leading_zero(with_digits("%.*f", digits, magnitude));
}

std::string text_from_one(double magnitude) {
  if (magnitude < 9.95 && std::floor(magnitude) == magnitude) return with_digits("%.*f", 0, magnitude);
  if (magnitude < 9.95) return with_digits("%.*f", 1, magnitude);
  if (magnitude < 9999.5) return with_digits("%.*f", 0, magnitude);
  return short_exponent(with_digits("%.*e", 0, magnitude));
}

/// The forms of a number from the longest to the shortest. Each is true of the number, and no number other
/// than 0 is written as zeros.
std::vector<std::string> forms_of(float value) {
  std::vector<std::string> forms{cell_text(value)};
  const double magnitude = std::abs(static_cast<double>(value));
  if (!(magnitude < 1.0) || value == 0.0F) return forms;
  const bool negative = value < 0.0F;
  if (magnitude < least_two_digits) forms.emplace_back("~0");
  if (magnitude >= least_above_three_nines) forms.emplace_back(negative ? "<−.99" : ">.99");
  if (magnitude >= least_above_two_nines) forms.emplace_back(negative ? "<−.9" : ">.9");
  return forms;
}

}  // namespace

std::string cell_text(float value) {
  if (std::isnan(value)) return "";
  const bool negative = std::signbit(value);
  if (std::isinf(value)) return negative ? "−∞" : "∞";
  if (value == 0.0F) return "0";
  const double magnitude = std::abs(static_cast<double>(value));
  if (magnitude < 1.0) return text_below_one(magnitude, negative);
  return (negative ? std::string(minus) : "") + text_from_one(magnitude);
}

std::string rounded_cell_text(float value, int letters) {
  const double magnitude = std::abs(static_cast<double>(value));
  if (!(magnitude < 1.0) || value == 0.0F) return cell_text(value);
  constexpr int with_third_digit = 4;
  const bool has_third =
      letters >= with_third_digit + (value < 0.0F ? 1 : 0) && magnitude < least_above_three_nines;
  std::string text = "1.0";
  if (magnitude < least_above_two_nines || has_third)
    text = without_leading_zero(with_digits("%.*f", magnitude < least_above_two_nines ? 2 : 3, magnitude));
  return (value < 0.0F && text != ".00" ? std::string(minus) : "") + text;
}

std::string share_cell_text(float value, int letters) {
  if (std::abs(static_cast<double>(value)) < least_two_digits) return {};
  return rounded_cell_text(value, letters);
}

std::string cell_text(float value, int characters) {
  for (std::string& form : forms_of(value)) {
    if (count_code_points(form) <= characters) return std::move(form);
  }
  return {};
}

int least_characters(float value) {
  int least = std::numeric_limits<int>::max();
  for (const std::string& form : forms_of(value)) least = std::min(least, count_code_points(form));
  return least;
}

std::string decimal_text(float value, int decimals) {
  constexpr double most = 1e6;
  const double magnitude = std::abs(static_cast<double>(value));
  if (!(magnitude < most) || value == 0.0F) return cell_text(value);
  const bool is_whole = std::floor(magnitude) == magnitude;
  return (std::signbit(value) ? std::string(minus) : "") +
         with_digits("%.*f", is_whole ? 0 : decimals, magnitude);
}

std::string tick_text(double value) {
  if (value == 0.0) return "0";
  if (!std::isfinite(value)) return std::isnan(value) ? "" : (value < 0 ? "−∞" : "∞");
  const double magnitude = std::abs(value);
  std::string text;
  if (magnitude >= 999.5 && magnitude < 99999.5) {
    text = with_digits("%.*f", 0, magnitude);
  } else {
    int digits = 3;
    text = with_digits("%.*g", digits, magnitude);
    while (magnitude < 1.0 && text == "1" && digits < 17) {
      text = with_digits("%.*g", ++digits, magnitude);
    }
  }
  return (value < 0 ? std::string(minus) : "") + short_exponent(text);
}

std::string round_number_text(double value, double step) {
  const double magnitude = std::abs(value);
  constexpr double least_plain = 1e-4;
  constexpr double most_plain = 1e5;
  const bool is_plain = step >= least_plain && magnitude < most_plain && std::isfinite(value);
  if (!is_plain || value == 0.0) return tick_text(value);
  // One more digit than the first digit of the step needs, because the step may be 2.5.
  const int digits = std::max(0, 1 - static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  std::string text = with_digits("%.*f", digits, magnitude);
  if (digits > 0) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return (value < 0 ? std::string(minus) : "") + text;
}

}  // namespace headscope
