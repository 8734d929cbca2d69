#include "core/figure/tick_text.h"

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

/// Turns "1e+06" into "1e6", and "2e-05" into "2e−5".
std::string short_exponent(const std::string& text) {
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  std::string exponent = text.substr(e + 2);
  exponent.erase(0, std::min(exponent.find_first_not_of('0'), exponent.size() - 1));
  return text.substr(0, e + 1) + (text[e + 1] == '-' ? std::string(minus) : "") + exponent;
}

}  // namespace

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
