#include "core/measures/attention_traffic.h"

namespace headscope {

Traffic plain_traffic(const AttentionSizes& s) {
  const std::int64_t map = s.queries * s.keys;
  // The scores read Q and K, the softmax reads the scores, and the output reads the weights and V.
  const std::int64_t read = s.queries * s.width + s.keys * s.width + 2 * map + s.keys * s.value_width;
  return {read, 2 * map + s.queries * s.value_width};
}

Traffic tiled_traffic(const AttentionSizes& s, std::int64_t keys_taken_in) {
  return {s.queries * s.width + keys_taken_in * (s.width + s.value_width), s.queries * (s.value_width + 1)};
}

std::int64_t kept_by_tile(const AttentionSizes& s, std::int64_t tile_queries, std::int64_t tile_keys) {
  return tile_queries * s.width + tile_keys * (s.width + s.value_width) + tile_queries * tile_keys +
         tile_queries * (s.value_width + 2);
}

}  // namespace headscope
