#pragma once

#include <cstdint>

namespace headscope {

/// The sizes of one head's attention.
struct AttentionSizes {
  std::int64_t queries = 0;  ///< T.
  std::int64_t keys = 0;     ///< S.
  std::int64_t width = 0;    ///< K, the width of queries and keys.
  std::int64_t value_width = 0;
};

/// Counts the numbers that one head's attention reads from and writes to the large memory if none of them is
/// kept near the processor between steps.
struct Traffic {
  std::int64_t read = 0;
  std::int64_t written = 0;
  std::int64_t total() const { return read + written; }
};

/// Counts the plain way, which computes scores, softmax and output one after the other, writing and reading
/// again the maps of scores and weights (algorithm 0 of FlashAttention, Dao et al. 2022).
Traffic plain_traffic(const AttentionSizes& sizes);

/// Counts tiled attention, which processes one block of queries after the other (algorithm 1 of
/// FlashAttention-2, Dao 2023). Queries are read once, keys and values once for every tile that is not
/// hidden; the output and one number for each query (m + ln l) are written once.
/// \param keys_taken_in the number of keys of all tiles that are not hidden, counted once for each tile
Traffic tiled_traffic(const AttentionSizes& sizes, std::int64_t keys_taken_in);

/// Counts the numbers that a tile keeps near the processor: its queries, keys, values, scores, O, m and l.
std::int64_t kept_by_tile(const AttentionSizes& sizes, std::int64_t tile_queries, std::int64_t tile_keys);

}  // namespace headscope
