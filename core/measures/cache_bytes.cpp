#include "core/measures/cache_bytes.h"

#include <algorithm>

namespace headscope {

namespace {

/// Counts in integers or in double precision.
template <class Number>
Number numbers_in_cache(const CacheShape& shape, std::int64_t tokens) {
  const auto in = [](std::int64_t count) { return static_cast<Number>(count); };
  if (shape.is_state && tokens == 0) return Number{0};
  if (shape.is_state)
    return in(shape.layers) * in(shape.kv_heads) * in(shape.key_width) * (in(shape.value_width) + Number{1});
  const Number of_token = in(shape.kv_heads) * (in(shape.key_width) + in(shape.value_width));
  const Number full_layers = in(shape.layers) - in(shape.window_layers);
  return of_token * (full_layers * in(tokens) + in(shape.window_layers) * in(std::min(tokens, shape.window)));
}

}  // namespace

std::int64_t cached_numbers(const CacheShape& shape, std::int64_t tokens) {
  return numbers_in_cache<std::int64_t>(shape, tokens);
}

double cache_bytes(const CacheShape& shape, const CacheLoad& load) {
  return static_cast<double>(load.batch) * numbers_in_cache<double>(shape, load.tokens) *
         static_cast<double>(load.bytes_per_number);
}

std::int64_t window_layers(std::int64_t layers, std::int64_t windows, std::int64_t full) {
  const std::int64_t group = windows + full;
  const std::int64_t groups = group > 0 ? layers / group : 0;
  const std::int64_t rest = layers - groups * group;
  return groups * windows + std::min(rest, windows);
}

}  // namespace headscope
