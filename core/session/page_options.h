#pragma once

#include <vector>

namespace headscope {

/// The keys to which no lines are drawn. The shares of the other keys are scaled so that each row keeps its
/// sum.
struct HiddenKeys {
  bool first = false;        ///< The first token of the sentence.
  bool special = false;      ///< Special tokens, such as [CLS], [SEP], [begin] and <s>.
  bool punctuation = false;  ///< Tokens that consist only of punctuation marks.
  bool any() const { return first || special || punctuation; }
  bool operator==(const HiddenKeys&) const = default;
};

/// The way in which the page of lines draws attention.
struct LinesOptions {
  /// True for arcs over one line of tokens, false for lines between two columns.
  bool arcs = false;
  /// For each row, only its strongest lines that together have this share are drawn.
  float share = 1.0F;
  HiddenKeys hidden;
  /// The sub-words of a word are one token: weights to it are summed, weights from it averaged.
  bool whole_words = false;
  bool operator==(const LinesOptions&) const = default;
};

/// The tokens on one side of the lines whose lines are drawn alone.
struct PickedTokens {
  /// True if they are keys of the selected attention, false if they are queries.
  bool are_keys = false;
  std::vector<int> tokens;  ///< Sorted. Empty if nothing is picked.
  bool operator==(const PickedTokens&) const = default;
};

/// The tiles into which the scores of a head are divided, and how far their softmax has advanced.
struct TilesOptions {
  int queries = 4;  ///< The number of queries in a tile.
  int keys = 4;     ///< The number of keys in a tile.
  /// The number of processed tiles. Values beyond the last tile mean all.
  int step = 1;
  bool operator==(const TilesOptions&) const = default;
};

inline constexpr int max_tile_side = 1024;
inline constexpr int max_tile_step = 1 << 26;

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
