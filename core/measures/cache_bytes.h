#pragma once

#include <cstdint>

namespace headscope {

/// What a decoder keeps of the tokens before: for every layer and every head of keys and values one key and
/// one value a token.
struct CacheShape {
  std::int64_t layers = 1;
  /// As many of the layers as look at a sliding window and therefore never need an older token.
  std::int64_t window_layers = 0;
  std::int64_t window = 0;    ///< W: tokens that such a layer sees, the newest among them
  std::int64_t kv_heads = 1;  ///< heads of keys and values: all heads (MHA), one a group (GQA) or 1 (MQA)
  std::int64_t key_width = 1;
  std::int64_t value_width = 1;
  bool operator==(const CacheShape&) const = default;
};

/// What multi-head latent attention keeps (DeepSeek-V2, 2024, section 2.1): for every layer and token one
/// latent row that keys and values of all heads are made of, and one rotated key that all heads share.
struct LatentCacheShape {
  std::int64_t layers = 1;
  std::int64_t latent_width = 1;  ///< d_c
  std::int64_t rotary_width = 0;  ///< d_h^R; 0 without rotary positions
  bool operator==(const LatentCacheShape&) const = default;
};

/// What linear attention keeps (Katharopoulos et al. 2020, section 3.4): for every layer and head of keys and
/// values a state, Σ φ(k) vᵀ and Σ φ(k), which does not grow with the text.
struct StateCacheShape {
  std::int64_t layers = 1;
  std::int64_t kv_heads = 1;
  std::int64_t key_width = 1;
  std::int64_t value_width = 1;
  bool operator==(const StateCacheShape&) const = default;
};

/// How much is cached, and how exactly.
struct CacheLoad {
  std::int64_t tokens = 0;  ///< of one sequence, the newest among them
  std::int64_t batch = 1;   ///< sequences
  std::int64_t bytes_per_number = 4;
  bool operator==(const CacheLoad&) const = default;
};

/// Numbers in the cache of one sequence: layers · tokens · kv_heads · (key_width + value_width), where a
/// layer with a window keeps min(tokens, W) of them. With equal widths that is Raschka's
/// 2 · tokens · kv_heads · head_dim · layers (Build a Large Language Model From Scratch, bonus of chapter 4,
/// 04_gqa and 06_swa).
std::int64_t cached_numbers(const CacheShape& shape, std::int64_t tokens);
/// layers · tokens · (d_c + d_h^R), table 1 of DeepSeek-V2.
std::int64_t cached_numbers(const LatentCacheShape& shape, std::int64_t tokens);

/// layers · kv_heads · (key_width · value_width + key_width), however many tokens; 0 before the first.
std::int64_t cached_numbers(const StateCacheShape& shape, std::int64_t tokens);

/// batch · cached_numbers · bytes_per_number.
std::int64_t cache_bytes(const CacheShape& shape, const CacheLoad& load);
std::int64_t cache_bytes(const LatentCacheShape& shape, const CacheLoad& load);
/// The same where the numbers are anybody's: no size overflows, and up to 2^53 bytes the result is exact.
double cache_bytes_in_double(const CacheShape& shape, const CacheLoad& load);

/// How many of so many layers have a window where `windows` of them come before every `full` ones that see
/// everything: what does not fill a last group begins with windows. 32 layers in 5 : 1 have 27.
std::int64_t window_layers(std::int64_t layers, std::int64_t windows, std::int64_t full);

}  // namespace headscope
