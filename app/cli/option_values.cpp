#include "app/cli/option_values.h"

#include <algorithm>
#include <charconv>

#include "app/cli/near_matches.h"
#include "core/text/utf8.h"

namespace headscope {
namespace {

template <class Number>
std::optional<Number> parse(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool complete = error == std::errc{} && end == text.data() + text.size() && !text.empty();
  return complete ? std::optional(number) : std::nullopt;
}

}  // namespace

std::string number_word(double number) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} ? std::string(text.data(), end) : std::string();
}

std::string number_word(float number) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} ? std::string(text.data(), end) : std::string();
}

tl::unexpected<Error> wrong_value(std::string_view option, std::string_view given,
                                  std::string_view what_would_fit) {
  constexpr std::size_t longest = 120;
  const std::string shown = given.empty() ? "''" : shortened(given, longest);
  return usage_error(std::string(option) + " " + shown + " is not valid: " + std::string(what_would_fit));
}

std::optional<int> parse_int(std::string_view text) {
  return parse<int>(text);
}

std::optional<double> parse_double(std::string_view text) {
  return parse<double>(text);
}

Result<int> whole_number(std::string_view option, std::string_view given, int low, int high) {
  const auto number = parse_int(given);
  if (number && *number >= low && *number <= high) return *number;
  return wrong_value(option, given,
                     "it takes a whole number from " + std::to_string(low) + " to " + std::to_string(high));
}

Result<std::uint64_t> seed_number(std::string_view option, std::string_view given) {
  const auto number = parse<std::uint64_t>(given);
  if (number) return *number;
  return wrong_value(option, given, "it takes a whole number from 0 to 18446744073709551615");
}

Result<double> decimal_number(std::string_view option, std::string_view given, double low, double high) {
  const auto number = parse_double(given);
  // The limits are floats, so the given number is compared as one: 0.95 stands for the float nearest to it.
  const bool fits = number && static_cast<float>(*number) >= static_cast<float>(low) &&
                    static_cast<float>(*number) <= static_cast<float>(high);  // false for NaN
  if (fits) return std::clamp(*number, low, high);
  return wrong_value(option, given,
                     "it takes a number from " + number_word(static_cast<float>(low)) + " to " +
                         number_word(static_cast<float>(high)));
}

Result<Sides> sides(std::string_view option, std::string_view given, int low, int high) {
  const auto parts = split(given, 'x');
  const auto width = parse_int(parts.front());
  const auto height = parts.size() == 2 ? parse_int(parts.back()) : std::nullopt;
  const Sides both{width.value_or(low - 1), height.value_or(low - 1)};
  const auto fits = [low, high](int n) { return n >= low && n <= high; };
  if (fits(both.width) && fits(both.height)) return both;
  return wrong_value(option, given,
                     "it takes WIDTHxHEIGHT, such as 1280x800, each from " + std::to_string(low) + " to " +
                         std::to_string(high));
}

Result<std::size_t> choice_index(std::string_view option, std::string_view given,
                                 const std::vector<std::string_view>& names) {
  const auto found = std::ranges::find(names, given);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  return wrong_value(option, given, it_takes(given, {names.begin(), names.end()}) + joined_with_or(names));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator); end != std::string_view::npos;
       end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::string joined_with_or(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace headscope
