#pragma once

namespace headscope {

/// The precision of a cache: this program's, or 16 bits, with which most models are run.
enum class CacheNumbers { float32, bits16 };

inline constexpr int max_decoding_step = 1 << 26;

/// How far the decoding of a text has advanced, and the caches that its cache is compared with.
struct DecodingOptions {
  /// The number of decoded tokens. Values beyond the last token mean all.
  int step = max_decoding_step;
  CacheNumbers numbers = CacheNumbers::float32;
  /// The number of key-value heads of the compared grouped-query attention. 0 means the model's own groups
  /// or, if it has none, a quarter of its heads, but at least 2.
  int kv_heads = 0;
  /// The width d_c of the compared latent attention's row. 0 means the model's own or, if it has none,
  /// 4 · d_head as in DeepSeek-V2.
  int latent = 0;
  int window = 4096;  ///< The number of tokens that a sliding window sees, including the newest.
  bool operator==(const DecodingOptions&) const = default;
};

inline constexpr int max_decoding_latent = 1 << 16;
inline constexpr int max_decoding_window = 1 << 20;

}  // namespace headscope
