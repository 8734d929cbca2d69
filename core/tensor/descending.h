#pragma once

#include <cmath>

namespace headscope {

/// Descending order with NaN last, for which std::greater is no strict weak order.
struct Descending {
  template <class Number>
  bool operator()(Number a, Number b) const {
    return a > b || (std::isnan(b) && !std::isnan(a));
  }
};

}  // namespace headscope
