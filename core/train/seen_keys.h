#pragma once

#include <cmath>
#include <optional>

namespace headscope {

/// Which keys a query sees in training.
struct SeenKeys {
  bool causal = false;              ///< none after itself
  std::optional<int> sliding = {};  ///< only those closer than so many tokens

  /// Whether the sliding window hides a key: a look at it cannot be taught.
  bool slides_past(int query, int key) const { return sliding && std::abs(query - key) >= *sliding; }
  bool hides(int query, int key) const { return (causal && key > query) || slides_past(query, key); }
};

}  // namespace headscope
