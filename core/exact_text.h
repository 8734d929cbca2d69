#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <string>

namespace headscope {

/// The shortest decimal text that reads back as the same number: "0.1", "1e-05", "-inf", "nan".
template <std::floating_point Number>
std::string exact_text(Number value) {
  if (std::isnan(value)) return "nan";  // whatever its sign
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

}  // namespace headscope
