#pragma once

#include <limits>

namespace headscope {

/// The float that is nearest to a number. Beyond the range of floats, where a cast would be undefined, it is
/// infinite.
constexpr float to_float(double number) {
  constexpr double most = std::numeric_limits<float>::max();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (number > most) return infinity;
  return number < -most ? -infinity : static_cast<float>(number);
}

}  // namespace headscope
