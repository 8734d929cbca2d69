#include "core/text/number_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace headscope {
namespace {

constexpr int max_extra_digits = 3;  ///< to distinguish numbers just below 1

std::string printed(const char* format, int digits, double value) {
  std::array<char, 400> text{};  // The largest double has 309 integer digits.
  std::snprintf(text.data(), text.size(), format, digits, value);
  return text.data();
}

std::string fixed(double value, int decimals) {
  auto text = printed("%.*f", decimals, value);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// The shortest scientific notation, for magnitudes far from 1: "2.1e−7", "1e9".
std::string scientific(double magnitude, int digits) {
  const auto text = printed("%.*e", digits - 1, magnitude);
  const auto e = text.find('e');
  auto mantissa = text.substr(0, e);
  if (mantissa.find('.') != std::string::npos) {
    mantissa.erase(mantissa.find_last_not_of('0') + 1);
    if (mantissa.back() == '.') mantissa.pop_back();
  }
  const int exponent = std::atoi(text.c_str() + e + 1);
  return mantissa + "e" + (exponent < 0 ? "−" : "") + std::to_string(std::abs(exponent));
}

/// A magnitude below 1 with the fewest decimals (at least `decimals`) that do not round it to 1, or ">0.9999"
/// if there would be too many.
std::string below_one(double magnitude, int decimals) {
  for (int extra = 0; extra <= max_extra_digits; ++extra) {
    auto text = fixed(magnitude, decimals + extra);
    if (text != "1") return text;
  }
  return ">0." + std::string(static_cast<std::size_t>(decimals + 2), '9');
}

/// The text of NaN, of an infinite number or of 0. Empty for all other numbers.
std::string special_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
  if (value == 0.0) return "0";
  return {};
}

/// Adds the sign. A bound is reversed for a negative number: if the magnitude is above .9999, the number is
/// below −.9999.
std::string with_sign(bool negative, const std::string& magnitude) {
  if (!negative) return magnitude;
  if (magnitude.front() == '>') return "<−" + magnitude.substr(1);
  return "−" + magnitude;
}

/// The power of ten of the first significant digit.
int leading_power(double magnitude) {
  return static_cast<int>(std::floor(std::log10(magnitude)));
}

}  // namespace

std::string number_text(double value, int digits) {
  if (auto special = special_text(value); !special.empty()) return special;
  digits = std::max(digits, 1);
  constexpr double min_fixed = 1e-4;
  constexpr double min_scientific = 1e6;
  const double magnitude = std::fabs(value);
  std::string text;
  if (magnitude < min_fixed || magnitude >= min_scientific) {
    text = scientific(magnitude, digits);
  } else {
    const int decimals = std::max(0, digits - 1 - leading_power(magnitude));
    text = magnitude < 1.0 ? below_one(magnitude, decimals) : fixed(magnitude, decimals);
  }
  return with_sign(value < 0, text);
}

std::string decimals_text(double value, int decimals) {
  constexpr double max_fixed = 1e6;
  const double magnitude = std::fabs(value);
  if (!(magnitude < max_fixed)) return number_text(value);
  const std::string text = printed("%.*f", std::floor(magnitude) == magnitude ? 0 : decimals, magnitude);
  const bool is_zero = text.find_first_not_of("0.") == std::string::npos;
  return with_sign(value < 0.0 && !is_zero, text);
}

std::string rounded_text(double value, CellDigits digits) {
  if (auto special = special_text(value); !special.empty()) return special;
  const double magnitude = std::fabs(value);
  if (magnitude >= min_with_one_digit) return with_sign(value < 0.0, scientific(magnitude, 1));
  if (std::floor(magnitude) == magnitude) return with_sign(value < 0.0, printed("%.*f", 0, magnitude));
  int decimals = digits == CellDigits::three ? 3 : 2;
  const auto half_unit = [&] { return 0.5 * std::pow(10.0, -decimals); };
  if (magnitude < half_unit()) return "≈0";
  const auto becomes_one = [&] { return magnitude < 1.0 && magnitude >= 1.0 - half_unit(); };
  if (digits == CellDigits::two && becomes_one()) ++decimals;
  if (becomes_one()) return value < 0.0 ? "≈−1" : "≈1";
  // A number that rounds up to the next power of ten has one digit more before the point.
  for (double next = 10.0; decimals > 0 && magnitude >= next - half_unit(); next *= 10.0) --decimals;
  std::string text = printed("%.*f", decimals, magnitude);
  if (digits != CellDigits::three && text.starts_with("0.")) text.erase(0, 1);
  return with_sign(value < 0.0, text);
}

std::string grouped(long long count) {
  std::string digits = std::to_string(count);
  const std::ptrdiff_t first_digit = count < 0 ? 1 : 0;
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > first_digit; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string count_text(long long count, const std::string& noun) {
  return grouped(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string names_text(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

}  // namespace headscope
