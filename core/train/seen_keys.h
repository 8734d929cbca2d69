#pragma once

#include <cmath>
#include <optional>

namespace headscope {

/// Determines which keys a query sees in training.
struct SeenKeys {
  bool causal = false;  ///< Hides the keys after the query.
  /// Hides keys that are not closer than this many tokens. No limit if nullopt.
  std::optional<int> sliding = {};

  /// Returns true if the sliding window hides a key. A head cannot be taught to look at such a key.
  bool slides_past(int query, int key) const { return sliding && std::abs(query - key) >= *sliding; }
  bool hides(int query, int key) const { return (causal && key > query) || slides_past(query, key); }
};

}  // namespace headscope
