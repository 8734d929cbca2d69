#include "core/figure/cell_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace headscope {
namespace {

constexpr std::string_view minus = "−";
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

std::string nines(int digits) {
  return "." + std::string(static_cast<std::size_t>(digits), '9');
}

/// Half of the last decimal of a number below 1. Smaller numbers would round to 0.
double half_unit(int digits) {
  return 0.5 * std::pow(10.0, -digits);
}

std::string text_below_one(double magnitude, bool negative, int digits) {
  if (magnitude < half_unit(digits)) {
    const std::string least = "." + std::string(static_cast<std::size_t>(digits - 1), '0') + "1";
    return negative ? ">−" + least : "<" + least;
  }
  if (magnitude >= 1.0 - half_unit(digits)) return negative ? "<−" + nines(digits) : ">" + nines(digits);
  return (negative ? std::string(minus) : "") + without_leading_zero(with_digits("%.*f", digits, magnitude));
}

std::string text_from_one(double magnitude, int digits) {
  constexpr double min_scientific = 9999.5;
  if (magnitude >= min_scientific) return short_exponent(with_digits("%.*e", 0, magnitude));
  if (std::floor(magnitude) == magnitude) return with_digits("%.*f", 0, magnitude);
  int decimals = digits - 1;
  // A number that rounds up to the next power of ten has one digit more before the point.
  for (double next = 10.0; decimals > 0 && magnitude >= next - 0.5 * std::pow(10.0, -decimals); next *= 10.0)
    --decimals;
  return with_digits("%.*f", decimals, magnitude);
}

}  // namespace

std::string cell_text(float value, CellDigits digits) {
  if (std::isnan(value)) return "";
  const bool negative = std::signbit(value);
  if (std::isinf(value)) return negative ? "−∞" : "∞";
  if (value == 0.0F) return "0";
  const double magnitude = std::abs(static_cast<double>(value));
  const int n = static_cast<int>(digits);
  if (magnitude < 1.0) return text_below_one(magnitude, negative, n);
  return (negative ? std::string(minus) : "") + text_from_one(magnitude, n);
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
  constexpr double min_plain = 1e-4;
  constexpr double max_plain = 1e5;
  const bool is_plain = step >= min_plain && magnitude < max_plain && std::isfinite(value);
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
