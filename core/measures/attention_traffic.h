#pragma once

#include <cstdint>

namespace headscope {

/// The sizes of one head's attention.
struct AttentionSizes {
  std::int64_t queries = 0;  ///< T
  std::int64_t keys = 0;     ///< S
  std::int64_t width = 0;    ///< K, of queries and keys
  std::int64_t value_width = 0;
};

/// Numbers that one head's attention reads from and writes to the large memory, none of them kept near the
/// processor from one step to the next.
struct Traffic {
  std::int64_t read = 0;
  std::int64_t written = 0;
  std::int64_t total() const { return read + written; }
};

/// The plain way: scores, softmax and output one after the other, the maps of scores and weights written and
/// read again (algorithm 0 of FlashAttention, Dao et al. 2022).
Traffic plain_traffic(const AttentionSizes& sizes);

/// In tiles, a block of queries after the other (algorithm 1 of FlashAttention-2, Dao 2023): queries are read
/// once, keys and values once for every tile that is not hidden, the output and one number a query (m + ln l)
/// written once.
/// \param keys_taken_in keys of all tiles that are not hidden, counted once a tile
Traffic tiled_traffic(const AttentionSizes& sizes, std::int64_t keys_taken_in);

/// Numbers that a tile keeps near the processor: its queries, keys, values, scores, O, m and l.
std::int64_t kept_by_tile(const AttentionSizes& sizes, std::int64_t tile_queries, std::int64_t tile_keys);

}  // namespace headscope
