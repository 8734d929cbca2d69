#pragma once

#include <limits>

namespace headscope {

/// The nearest float. Infinite beyond the range of floats, where a cast would be undefined.
constexpr float to_float(double number) {
  constexpr double largest = std::numeric_limits<float>::max();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (number > largest) return infinity;
  return number < -largest ? -infinity : static_cast<float>(number);
}

}  // namespace headscope
