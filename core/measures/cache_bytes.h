#pragma once

#include <cstdint>

namespace headscope {

/// The shape of a decoder's cache for the preceding tokens. In every layer and for every key-value head, it
/// holds one key and one value for each token.
struct CacheShape {
  std::int64_t layers = 1;
  /// The number of those layers that look at a sliding window and therefore never need an older token.
  std::int64_t window_layers = 0;
  std::int64_t window = 0;  ///< W, the number of tokens that such a layer sees, including the newest.
  /// The number of key-value heads: as many as query heads (MHA), one for each group (GQA) or 1 (MQA).
  std::int64_t kv_heads = 1;
  std::int64_t key_width = 1;
  std::int64_t value_width = 1;
  bool operator==(const CacheShape&) const = default;
};

/// The shape of the cache of multi-head latent attention (DeepSeek-V2, 2024, section 2.1). For every layer
/// and token it holds one latent row, from which the keys and values of all heads are made, and one rotated
/// key that all heads share.
struct LatentCacheShape {
  std::int64_t layers = 1;
  std::int64_t latent_width = 1;  ///< d_c.
  std::int64_t rotary_width = 0;  ///< d_h^R. 0 without rotary positions.
  bool operator==(const LatentCacheShape&) const = default;
};

/// The shape of the state of linear attention (Katharopoulos et al. 2020, section 3.4). For every layer and
/// key-value head it holds Σ φ(k) vᵀ and Σ φ(k), whose size does not grow with the text.
struct StateCacheShape {
  std::int64_t layers = 1;
  std::int64_t kv_heads = 1;
  std::int64_t key_width = 1;
  std::int64_t value_width = 1;
  bool operator==(const StateCacheShape&) const = default;
};

/// How much is cached, and at what precision.
struct CacheLoad {
  std::int64_t tokens = 0;  ///< The tokens of one sequence, including the newest.
  std::int64_t batch = 1;   ///< The number of sequences.
  std::int64_t bytes_per_number = 4;
  bool operator==(const CacheLoad&) const = default;
};

/// Returns how many numbers the cache holds for one sequence: layers · tokens · kv_heads · (key_width +
/// value_width), where a layer with a window keeps min(tokens, W) tokens. If both widths are equal, this is
/// Raschka's 2 · tokens · kv_heads · head_dim · layers (Build a Large Language Model From Scratch, bonus of
/// chapter 4, 04_gqa and 06_swa).
std::int64_t cached_numbers(const CacheShape& shape, std::int64_t tokens);
/// layers · tokens · (d_c + d_h^R), table 1 of DeepSeek-V2.
std::int64_t cached_numbers(const LatentCacheShape& shape, std::int64_t tokens);

/// layers · kv_heads · (key_width · value_width + key_width) for any number of tokens; 0 before the first.
std::int64_t cached_numbers(const StateCacheShape& shape, std::int64_t tokens);

/// batch · cached_numbers · bytes_per_number.
std::int64_t cache_bytes(const CacheShape& shape, const CacheLoad& load);
std::int64_t cache_bytes(const LatentCacheShape& shape, const CacheLoad& load);
/// Computes the same for sizes that a user may choose freely. No size overflows, and the result is exact up
/// to 2^53 bytes.
double cache_bytes_in_double(const CacheShape& shape, const CacheLoad& load);

/// Returns how many of the layers have a window if every group of layers begins with `windows` layers with a
/// window, followed by `full` layers that see everything. An incomplete last group begins with windows as
/// well. For example, 32 layers in a ratio of 5 : 1 have 27.
std::int64_t window_layers(std::int64_t layers, std::int64_t windows, std::int64_t full);

}  // namespace headscope
