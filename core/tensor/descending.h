#pragma once

#include <cmath>

namespace headscope {

/// Orders numbers from the greatest to the least, with NaN last. Sorting by std::greater needs numbers that
/// are not NaN.
struct Descending {
  template <class Number>
  bool operator()(Number a, Number b) const {
    return a > b || (std::isnan(b) && !std::isnan(a));
  }
};

}  // namespace headscope
