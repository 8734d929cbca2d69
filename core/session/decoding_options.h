#pragma once

namespace headscope {

/// How exactly a cache keeps its numbers: as this program does, or in 16 bits, as most models are run.
enum class CacheNumbers { float32, bits16 };

/// How far the decoding of a text has come, and what its cache is compared with.
struct DecodingOptions {
  int step = 1;  ///< tokens that were decoded, counted from 1; beyond the last: all
  CacheNumbers numbers = CacheNumbers::float32;
  int kv_heads =
      0;  ///< of grouped-query attention; 0: the model's own groups, or a quarter of its heads, at least 2
  int latent = 0;  ///< width of latent attention's row, d_c; 0: the model's, or 4 · d_head as in DeepSeek-V2
  int window = 4096;  ///< tokens that a sliding window sees, the newest among them
  bool operator==(const DecodingOptions&) const = default;
};

inline constexpr int max_decoding_step = 1 << 26;
inline constexpr int max_decoding_latent = 1 << 16;
inline constexpr int max_decoding_window = 1 << 20;

}  // namespace headscope
