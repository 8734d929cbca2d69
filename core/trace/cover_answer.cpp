#include "core/trace/cover_answer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <system_error>

namespace headscope {
namespace {

/// One unit in the second significant digit, limited to 1 for large numbers and, for small ones, to 0.01, the
/// last decimal that maps print.
double last_digit_of(double magnitude) {
  constexpr double of_whole = 1.0;
  constexpr double least = 0.01;
  if (magnitude >= 10.0) return of_whole;
  return magnitude >= 1.0 ? 0.1 : least;
}

}  // namespace

namespace {

/// A number without a fraction bar.
std::optional<double> plain_number(std::string_view typed) {
  constexpr std::string_view minus = "−";
  constexpr std::string_view infinity = "∞";
  std::string text(typed);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  while (!text.empty() && text.front() == ' ') text.erase(0, 1);
  bool is_negative = false;
  if (text.starts_with(minus)) {
    is_negative = true;
    text.erase(0, minus.size());
  } else if (text.starts_with('-') || text.starts_with('+')) {
    is_negative = text.front() == '-';
    text.erase(0, 1);
  }
  const double sign = is_negative ? -1.0 : 1.0;
  if (text == "inf" || text == infinity) return sign * std::numeric_limits<double>::infinity();
  if (const std::size_t comma = text.find(','); comma != std::string::npos) text[comma] = '.';
  const bool begins_as_number =
      !text.empty() && ((text.front() >= '0' && text.front() <= '9') || text.front() == '.');
  double number = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!begins_as_number || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return sign * number;
}

}  // namespace

std::optional<double> number_answered(std::string_view typed) {
  const std::size_t bar = typed.find('/');
  if (bar == std::string_view::npos) return plain_number(typed);
  const auto above = plain_number(typed.substr(0, bar));
  const auto below = plain_number(typed.substr(bar + 1));
  if (!above || !below || *below == 0.0 || !std::isfinite(*above) || !std::isfinite(*below))
    return std::nullopt;
  return *above / *below;
}

bool is_right_answer(double answer, float value) {
  if (!std::isfinite(value) || !std::isfinite(answer)) return answer == static_cast<double>(value);
  constexpr double rounding = 1e-6;  // allows for the binary rounding of a decimal answer
  constexpr double share = 0.1;
  constexpr double least = 0.00005;
  const double magnitude = std::abs(static_cast<double>(value));
  const double of_number = std::max(share * magnitude, least);
  return std::abs(answer - static_cast<double>(value)) <=
         std::min(last_digit_of(magnitude), of_number) * (1.0 + rounding);
}

}  // namespace headscope
