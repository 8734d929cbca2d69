#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/session/names.h"

namespace headscope {

/// The error for a wrong value of an option: "--heads 0 is not valid: it takes a whole number from 1 to 16".
tl::unexpected<Error> invalid_value(std::string_view option, std::string_view given,
                                    std::string_view expected);

/// Parses a whole number from `low` to `high`, written in digits only.
Result<int> parse_whole_number(std::string_view option, std::string_view given, int low, int high);
/// Parses a decimal number from `low` to `high`.
Result<double> parse_decimal_number(std::string_view option, std::string_view given, double low, double high);

/// Parses a width and height such as "1280x800", each from `low` to `high`.
Result<std::pair<int, int>> parse_dimensions(std::string_view option, std::string_view given, int low,
                                             int high);

/// The index of a name among `names`. The error lists the names that would fit: "keys" or "queries".
Result<std::size_t> parse_choice_index(std::string_view option, std::string_view given,
                                       const std::vector<std::string_view>& names);

/// Parses the value of an enumeration by its name (core/session/names.h).
template <class Enum>
Result<Enum> choice(std::string_view option, std::string_view given) {
  return parse_choice_index(option, given, {names_of<Enum>.begin(), names_of<Enum>.end()})
      .map([](std::size_t i) { return static_cast<Enum>(i); });
}

/// Parses the entire text as a number. Empty if it is not one.
std::optional<int> parse_int(std::string_view text);
std::optional<double> parse_double(std::string_view text);

/// Joins the names: "a, b or c".
std::string joined_with_or(const std::vector<std::string_view>& names);

/// The names that a mistyped word may have meant, the nearest first: few letters of the name or of its last
/// part (“W_1” of “feed_forward.W_1”) differ, or one begins with the other. If the word is exactly the last
/// part of some names, or the last word of some options (“--scale” for “--score-scale”), only these are
/// returned. Upper and lower case are equal for ASCII letters.
std::vector<std::string> near_matches(std::string_view word, const std::vector<std::string>& names);

/// Asks about these names: “did you mean explore?”. Empty if there are none.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& names);
/// The beginning of a list of valid values, after that question if there is one: “it takes ”, or “did you
/// mean explore? It takes ”.
std::string expected_text(std::string_view word, const std::vector<std::string>& names);
/// The same for “choose ”, or “did you mean explore? Otherwise choose ”.
std::string choices_text(std::string_view word, const std::vector<std::string>& names);

}  // namespace headscope
