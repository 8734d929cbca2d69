#pragma once

#include <vector>

namespace headscope {

/// Keys to which no lines are drawn. The shares of the others are rescaled to preserve the sum of each row.
struct HiddenKeys {
  bool first = false;        ///< The first token of the sentence.
  bool special = false;      ///< Special tokens, such as [CLS], [SEP], [begin] and <s>.
  bool punctuation = false;  ///< Tokens that consist only of punctuation marks.
  bool any() const { return first || special || punctuation; }
  bool operator==(const HiddenKeys&) const = default;
};

/// How the Lines page draws attention.
struct LinesOptions {
  /// Arcs over one line of tokens instead of lines between two columns.
  bool arcs = false;
  /// Draws only the strongest lines of each row that together reach this share.
  float share = 1.0F;
  HiddenKeys hidden;
  /// Merges the sub-words of a word: weights to them are summed, weights from them averaged.
  bool whole_words = false;
  bool operator==(const LinesOptions&) const = default;
};

/// Tokens on one side of the lines; only their lines are drawn.
struct PickedTokens {
  /// Keys of the selected attention instead of queries.
  bool are_keys = false;
  std::vector<int> tokens;  ///< Sorted. Empty if nothing is picked.
  bool operator==(const PickedTokens&) const = default;
};

/// The tiling of a head's scores, and how far their softmax has advanced.
struct TilesOptions {
  int queries = 4;  ///< The number of queries in a tile.
  int keys = 4;     ///< The number of keys in a tile.
  /// The number of processed tiles. Values beyond the last tile mean all.
  int step = 1;
  bool operator==(const TilesOptions&) const = default;
};

inline constexpr int max_tile_side = 1024;
inline constexpr int max_tile_step = 1 << 26;

/// The precision of a cache: that of this program, or 16 bits, in which most models run.
enum class CacheNumbers { float32, bits16 };

inline constexpr int max_decoding_step = 1 << 26;

/// How far the decoding of a text has advanced, and the caches that it is compared with.
struct DecodingOptions {
  /// The number of decoded tokens. Values beyond the last token mean all.
  int step = max_decoding_step;
  CacheNumbers numbers = CacheNumbers::float32;
  /// The number of key-value heads of the compared grouped-query attention. 0 for the model's own or, if it
  /// has no groups, a quarter of its heads, but at least 2.
  int kv_heads = 0;
  /// The latent width d_c of the compared latent attention. 0 for the model's own or, if it has none,
  /// 4 · d_head as in DeepSeek-V2.
  int latent = 0;
  int window = 4096;  ///< The number of tokens that a sliding window sees, including the newest.
  bool operator==(const DecodingOptions&) const = default;
};

inline constexpr int max_decoding_latent = 1 << 16;
inline constexpr int max_decoding_window = 1 << 20;

}  // namespace headscope
