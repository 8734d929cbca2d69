#include "app/cli/option_values.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/exact_text.h"
#include "core/split_text.h"
#include "core/text/letters.h"
#include "core/text/utf8.h"
#include "core/to_float.h"

namespace headscope {
namespace {

/// The Levenshtein distance, computed row by row.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// The spelling distance of two words. Empty if they are too different for one to be a typo of the other.
std::optional<std::size_t> spelling_distance(const std::string& typed, const std::string& known) {
  constexpr std::size_t min_prefix = 3;
  const bool begins = std::min(typed.size(), known.size()) >= min_prefix &&
                      (known.starts_with(typed) || typed.starts_with(known));
  const std::size_t d = distance(typed, known);
  const bool is_near = begins || d <= std::max<std::size_t>(1, typed.size() / 3);
  return is_near ? std::optional(d) : std::nullopt;
}

}  // namespace

tl::unexpected<Error> invalid_value(std::string_view option, std::string_view given,
                                    std::string_view expected) {
  constexpr std::size_t longest = 120;
  const std::string shown = given.empty() ? "''" : truncated(given, longest);
  return usage_error(std::string(option) + " " + shown + " is not valid: " + std::string(expected));
}

std::optional<int> parse_int(std::string_view text) {
  return parse_exact<int>(text);
}

std::optional<double> parse_double(std::string_view text) {
  return parse_exact<double>(text);
}

Result<int> parse_whole_number(std::string_view option, std::string_view given, int low, int high) {
  const auto number = parse_int(given);
  if (number && *number >= low && *number <= high) return *number;
  return invalid_value(option, given,
                       "it takes a whole number from " + std::to_string(low) + " to " + std::to_string(high));
}

Result<double> parse_decimal_number(std::string_view option, std::string_view given, double low,
                                    double high) {
  const auto number = parse_double(given);
  // The limits are floats, so compare as floats: 0.95 stands for the nearest float.
  const bool fits =
      number && to_float(*number) >= to_float(low) && to_float(*number) <= to_float(high);  // false for NaN
  if (fits) return std::clamp(*number, low, high);
  return invalid_value(
      option, given,
      "it takes a number from " + exact_text(to_float(low)) + " to " + exact_text(to_float(high)));
}

Result<std::pair<int, int>> parse_dimensions(std::string_view option, std::string_view given, int low,
                                             int high) {
  const auto parts = split_text(given, 'x');
  const auto width = parse_int(parts.front());
  const auto height = parts.size() == 2 ? parse_int(parts.back()) : std::nullopt;
  const std::pair both(width.value_or(low - 1), height.value_or(low - 1));
  const auto fits = [low, high](int n) { return n >= low && n <= high; };
  if (fits(both.first) && fits(both.second)) return both;
  return invalid_value(option, given,
                       "it takes WIDTHxHEIGHT, such as 1280x800, each from " + std::to_string(low) + " to " +
                           std::to_string(high));
}

Result<std::size_t> parse_choice_index(std::string_view option, std::string_view given,
                                       const std::vector<std::string_view>& names) {
  const auto found = std::ranges::find(names, given);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  return invalid_value(option, given,
                       expected_text(given, {names.begin(), names.end()}) + joined_with_or(names));
}

std::string joined_with_or(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

std::vector<std::string> near_matches(std::string_view word, const std::vector<std::string>& names) {
  constexpr std::size_t longest_word = 64;
  if (word.empty() || word.size() > longest_word) return {};
  const std::string typed = to_lower_case(word);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& name : names) {
    const std::string known = to_lower_case(name);
    const auto whole = spelling_distance(typed, known);
    const auto last_part = spelling_distance(typed, known.substr(known.rfind('.') + 1));
    const bool is_last_word = typed.starts_with("--") && known.ends_with(typed.substr(1));
    const std::size_t far = std::numeric_limits<std::size_t>::max();
    const std::size_t d = std::min(whole.value_or(far), is_last_word ? 0 : last_part.value_or(far));
    if (d != far) near.emplace_back(d, name);
  }
  std::ranges::stable_sort(near, {}, &std::pair<std::size_t, std::string>::first);
  const bool is_exact = !near.empty() && near.front().first == 0;
  std::vector<std::string> found;
  for (auto& [d, name] : near) {
    if (d == 0 || !is_exact) found.push_back(std::move(name));
  }
  return found;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
  const std::vector<std::string> near = near_matches(word, names);
  return near.empty() ? "" : "did you mean " + joined_with_or({near.begin(), near.end()}) + "?";
}

std::string expected_text(std::string_view word, const std::vector<std::string>& names) {
  const std::string asked = did_you_mean(word, names);
  return asked.empty() ? "it takes " : asked + " It takes ";
}

std::string choices_text(std::string_view word, const std::vector<std::string>& names) {
  const std::string asked = did_you_mean(word, names);
  return asked.empty() ? "choose " : asked + " Otherwise choose ";
}

}  // namespace headscope
