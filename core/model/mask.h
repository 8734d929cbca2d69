#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/tensor/key_mask.h"
#include "core/tensor/view.h"

namespace headscope {

/// What a hidden cell holds in `masked`: −∞ or any finite number. Under −∞, a row with nothing visible gets
/// all-zero weights (PyTorch gives NaN); under a finite number, it gets uniform weights. A number that is not
/// far below the visible scores leaves a share of the attention to hidden cells. These are the usual values.
struct MaskValue {
  static constexpr float minus_infinity = -std::numeric_limits<float>::infinity();
  static constexpr float minus_1e9 = -1e9F;
};

/// One cell of a map: its row is the query, its column the key.
struct Cell {
  int query = 0;
  int key = 0;
  auto operator<=>(const Cell&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 misreads it
};

/// A mask that was read from a file. In a boolean mask, 1 means "may attend"; a float mask is added to the
/// scaled scores. The shape is [T, S], [1, S] (the same for every query), [H, T, S], or for batches [B, T, S]
/// or [B, H, T, S]. B, H and T may be 1, which means that all share the same mask.
struct LoadedMask {
  std::string name;  ///< The file's name, for messages and labels.
  bool additive = false;
  int n_sequences = 1;        ///< 1 if the mask is the same for every sequence of a batch.
  int n_heads = 1;            ///< 1 if the mask is the same for every head.
  int rows = 0;               ///< T or 1.
  int cols = 0;               ///< S
  std::vector<float> values;  ///< [n_sequences, n_heads, rows, cols]
  /// Whether `n_heads` may count the sequences of a batch instead, because the file has three dimensions.
  bool heads_or_sequences = false;
  std::string axes = "ij";  ///< The file's axes, in the notation of core/engine/mask_file.h.
  bool operator==(const LoadedMask&) const = default;
};

/// The same file transposed.
LoadedMask transposed(const LoadedMask& mask);

/// Whether the mask is square and would have another meaning if it were transposed.
bool could_be_transposed(const LoadedMask& mask);

/// The requested mask: everything that hides cells. All its parts are combined (booleans by AND, additive
/// masks by addition).
struct MaskSpec {
  bool causal = false;        ///< Key j is visible if j ≤ query i.
  std::optional<int> window;  ///< Key j is visible if |i − j| ≤ window.
  /// The number of leading keys that no window hides: StreamingLLM's attention sinks (Xiao et al. 2023).
  std::optional<int> first_keys;
  std::optional<int> prefix;  ///< This many leading keys are visible to all queries; the rest is causal.
  std::optional<int> block;  ///< A query sees only keys of its own block of this many tokens: ⌊i/B⌋ = ⌊j/B⌋.
  std::optional<int> dilation;  ///< A query sees only keys whose distance is a multiple of this.
  /// The first tokens of the second, third … document, sorted. A query sees only keys of its own document.
  std::vector<int> documents;
  std::string separator;      ///< Words that also end a document; see add_documents(). Empty if none do.
  std::vector<int> padding;   ///< Keys that are hidden from all queries, sorted.
  std::vector<Cell> painted;  ///< Cells that a person hid, sorted.
  std::vector<std::shared_ptr<const LoadedMask>> loaded;
  bool hides_by_rule() const {
    return causal || window || prefix || block || dilation || !documents.empty() || !separator.empty();
  }
  bool hides_anything() const {
    return hides_by_rule() || !padding.empty() || !painted.empty() || !loaded.empty();
  }
  bool operator==(const MaskSpec&) const = default;
};

inline MaskSpec causal_mask() {
  MaskSpec mask;
  mask.causal = true;
  return mask;
}

/// A prefix mask is causal after its prefix, and a causal mask would hide what the prefix shows. Switching
/// one of the two on therefore switches the other off.
void set_causal(MaskSpec& spec, bool on);
void set_prefix(MaskSpec& spec, std::optional<int> length);

/// Adds the documents that begin after a separator. `ends` are the places of the separators. No document
/// begins at or after `n_tokens`.
void add_documents(MaskSpec& spec, const std::vector<int>& ends, int n_tokens);

/// Sizes that a mask must fit.
struct MaskSizes {
  int n_queries = 0;
  int n_keys = 0;
  int n_heads = 1;
  int n_sequences = 1;  ///< In the batch.
  int sequence = 0;     ///< The index in the batch of the sequence that the mask is for.
  /// The layer's sliding window: only keys closer than this many tokens are visible. Empty if the layer has
  /// none.
  std::optional<int> sliding = {};
  /// The place of the first query among the keys, from which causal masks and windows count.
  int query_offset = 0;
};

/// The combined mask of one attention.
struct CombinedMask {
  int n_heads = 1;  ///< 1 if the mask is the same for every head.
  int rows = 0;
  int cols = 0;
  int first = 0;             ///< The query of the first row.
  KeyMask visible;           ///< [n_heads, T] Empty if all cells are visible.
  std::vector<float> added;  ///< [n_heads, T, S] Empty if nothing is added.
  float value = MaskValue::minus_infinity;

  VisibleKeys keys(int head, int query) const { return visible.row(line(head, query)); }
  bool is_visible(int head, int query, int key) const { return keys(head, query).sees(key); }
  float addend(int head, int query, int key) const {
    return added.empty() ? 0.0F : added[index(head, query, key)];
  }
  /// Whether a key can have weight. An added mask hides it with −∞.
  bool sees(int head, int query, int key) const {
    return is_visible(head, query, key) && std::isfinite(addend(head, query, key));
  }
  /// The row of `visible` that holds the keys of a query.
  int line(int head, int query) const { return (n_heads == 1 ? 0 : head) * rows + query - first; }
  std::size_t index(int head, int query, int key) const {
    return static_cast<std::size_t>(line(head, query)) * static_cast<std::size_t>(cols) +
           static_cast<std::size_t>(key);
  }
};

/// Combines a requested mask. Indices beyond the sequence are ignored. It is an error if a loaded mask has
/// another shape; the message names both shapes. It is an error if a file has three dimensions and the batch
/// has as many sequences as there are heads, because it is unclear which of them the first dimension counts.
/// It is an error if float masks add up to +∞ or NaN in a cell, because softmax would give NaN.
Result<CombinedMask> combine(const MaskSpec& spec, float value, const MaskSizes& sizes);

/// The queries of one head that see no key at all.
std::vector<int> rows_without_keys(const CombinedMask& mask, int head);

/// What hides one cell of a head's map, in words ("causal: key 5 comes after query 3"). Empty if the cell is
/// visible. The mask must be one that combine() accepts with these sizes.
std::string why_hidden(const MaskSpec& spec, const MaskSizes& sizes, int head, Cell cell);

}  // namespace headscope
