#pragma once

#include <cstdint>

namespace headscope {

/// The shape of a decoder's KV cache: a key and a value per layer, key-value head and token. Multi-head
/// latent attention (DeepSeek-V2, 2024, section 2.1) keeps a latent of d_c numbers, from which the keys and
/// values of all heads are projected, and a rotated key of d_h^R numbers shared by all heads: like one head
/// with a key of width d_c and a value of width d_h^R.
struct CacheShape {
  std::int64_t layers = 1;
  /// How many of those layers have a sliding window, so older tokens are evicted.
  std::int64_t window_layers = 0;
  std::int64_t window = 0;  ///< W, the window in tokens, including the newest
  /// Key-value heads: as many as query heads (MHA), one per group (GQA) or 1 (MQA).
  std::int64_t kv_heads = 1;
  std::int64_t key_width = 1;
  std::int64_t value_width = 1;
  /// Whether attention is linear (Katharopoulos et al. 2020, section 3.4), which keeps Σ φ(k) vᵀ and Σ φ(k)
  /// per layer and key-value head, independent of the text length.
  bool is_state = false;
  bool operator==(const CacheShape&) const = default;
};

/// The amount of cached text, and the precision.
struct CacheLoad {
  std::int64_t tokens = 0;  ///< The tokens of one sequence, including the newest.
  std::int64_t batch = 1;   ///< The number of sequences.
  std::int64_t bytes_per_number = 4;
  bool operator==(const CacheLoad&) const = default;
};

/// The cached numbers of one sequence: layers · tokens · kv_heads · (key_width + value_width), with
/// min(tokens, W) tokens in layers with a window. For equal widths, this is Raschka's 2 · tokens · kv_heads ·
/// head_dim · layers (Build a Large Language Model From Scratch, bonus of chapter 4, 04_gqa and 06_swa),
/// and for a latent layers · tokens · (d_c + d_h^R), table 1 of DeepSeek-V2. A state has layers · kv_heads ·
/// (key_width · value_width + key_width) for any number of tokens; 0 before the first.
std::int64_t cached_numbers(const CacheShape& shape, std::int64_t tokens);

/// batch · cached_numbers · bytes_per_number, for any sizes: cannot overflow, and exact up to 2^53 bytes.
double cache_bytes(const CacheShape& shape, const CacheLoad& load);

/// The number of layers with a window in a repeating pattern of `windows` layers with one and `full` global
/// layers, possibly cut off at the end. E.g. 27 of 32 layers at a ratio of 5 : 1.
std::int64_t window_layers(std::int64_t layers, std::int64_t windows, std::int64_t full);

}  // namespace headscope
