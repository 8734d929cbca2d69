#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace headscope {

/// The shortest decimal text that reads back as the same number: "0.1", "1e-05", "-inf", "nan".
template <std::floating_point Number>
std::string exact_text(Number value) {
  if (std::isnan(value)) return "nan";  // whatever its sign
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

/// Parses a number as written by exact_text() or to_string(). Empty unless the entire text is a number that
/// fits into the type.
template <class Number>
std::optional<Number> parse_exact(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole_text = error == std::errc{} && end == text.data() + text.size();
  return is_whole_text ? std::optional(number) : std::nullopt;
}

}  // namespace headscope
