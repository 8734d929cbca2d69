#include "core/trace/cover_answer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <system_error>

namespace headscope {
namespace {

constexpr int printed_decimals = 2;  ///< of a number below 1 in a map
constexpr int most_decimals = 4;

}  // namespace

std::optional<double> number_answered(std::string_view typed) {
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

int asked_decimals(float value) {
  const float magnitude = std::abs(value);
  constexpr int of_infinite = 2;  // as of most numbers: how many are asked for does not tell it
  constexpr std::array least_with{10.0F, 1.0F, 0.1F, 0.01F};
  if (!std::isfinite(value)) return of_infinite;
  const auto at = std::ranges::find_if(least_with, [&](float least) { return magnitude >= least; });
  return static_cast<int>(at - least_with.begin());
}

std::string answer_rule(int decimals) {
  if (decimals <= printed_decimals) return "The last digit may differ by 1.";
  return decimals < most_decimals ? "It may differ by 10 %." : "It may differ by 10 %, or by 0.00005.";
}

bool is_right_answer(double answer, float value) {
  if (!std::isfinite(value) || !std::isfinite(answer)) return answer == static_cast<double>(value);
  constexpr double rounding = 1e-6;  // of the answer's own decimals in binary
  constexpr double share = 0.1;
  constexpr double least = 0.00005;
  const double unit = std::pow(10.0, -std::min(asked_decimals(value), printed_decimals));
  const double of_number = std::max(share * std::abs(static_cast<double>(value)), least);
  return std::abs(answer - static_cast<double>(value)) <= std::min(unit, of_number) * (1.0 + rounding);
}

}  // namespace headscope
