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

/// The usual values of hidden cells in `masked`. With −∞, a row without visible keys gets zero weights (NaN
/// in PyTorch); with a finite value, uniform weights. A value not far below the visible scores leaks
/// attention to hidden cells.
struct MaskValue {
  static constexpr float minus_infinity = -std::numeric_limits<float>::infinity();
  static constexpr float minus_1e9 = -1e9F;
};

/// A cell of a map.
struct Cell {
  int query = 0;
  int key = 0;
  auto operator<=>(const Cell&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 misreads it
};

/// A mask read from a file. In a boolean mask, 1 means "may attend"; a float mask is added to the scaled
/// scores. The shape is [T, S], [1, S], [H, T, S], or for batches [B, T, S] or [B, H, T, S]. Dimensions B, H
/// and T of size 1 broadcast.
struct LoadedMask {
  std::string name;  ///< The file name, for messages and labels.
  bool additive = false;
  int n_sequences = 1;        ///< 1 if shared by all sequences of a batch
  int n_heads = 1;            ///< 1 if the mask is the same for every head.
  int rows = 0;               ///< T or 1.
  int cols = 0;               ///< S
  std::vector<float> values;  ///< [n_sequences, n_heads, rows, cols]
  /// Whether the file has three dimensions, so that `n_heads` may count sequences of a batch instead.
  bool heads_or_sequences = false;
  std::string axes = "ij";  ///< The axes of the file, as in core/engine/mask_file.h.
  bool operator==(const LoadedMask&) const = default;
};

/// The transposed mask.
LoadedMask transposed(const LoadedMask& mask);

/// Whether the mask is square but not symmetric, so that it may have been stored transposed.
bool could_be_transposed(const LoadedMask& mask);

/// The specification of a mask. All parts are combined: booleans by AND, additive masks by addition.
struct MaskSpec {
  bool causal = false;        ///< Key j is visible if j ≤ query i.
  std::optional<int> window;  ///< Key j is visible if |i − j| ≤ window.
  /// The number of leading keys exempt from the window: StreamingLLM's attention sinks (Xiao et al. 2023).
  std::optional<int> first_keys;
  std::optional<int>
      prefix;  ///< Prefix-LM: this many leading keys are visible to all queries; the rest is causal.
  std::optional<int> block;     ///< Block-diagonal with blocks of B tokens: ⌊i/B⌋ = ⌊j/B⌋.
  std::optional<int> dilation;  ///< Only distances that are multiples of this are visible.
  /// Document boundaries: the first tokens of the second, third … document, sorted. A query sees only its own
  /// document.
  std::vector<int> documents;
  std::string separator;      ///< A word that also ends documents; see add_documents(). May be empty.
  std::vector<int> padding;   ///< Keys hidden from all queries, sorted
  std::vector<Cell> painted;  ///< Cells hidden by the user, sorted
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

/// Causal and prefix masks exclude each other, so enabling one disables the other.
void set_causal(MaskSpec& spec, bool on);
void set_prefix(MaskSpec& spec, std::optional<int> length);

/// Adds documents that begin after the separators at positions `ends` and before `n_tokens`.
void add_documents(MaskSpec& spec, const std::vector<int>& ends, int n_tokens);

/// The sizes that a mask must fit.
struct MaskSizes {
  int n_queries = 0;
  int n_keys = 0;
  int n_heads = 1;
  int n_sequences = 1;  ///< In the batch.
  int sequence = 0;     ///< Index of the sequence in the batch
  /// The sliding window of the layer: only keys at a smaller distance are visible.
  std::optional<int> sliding = {};
  /// The position of the first query among the keys, for causal masks and windows.
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
  /// Whether a query sees a key: it is visible, and no additive mask hides it with −∞.
  bool sees(int head, int query, int key) const {
    return is_visible(head, query, key) && std::isfinite(addend(head, query, key));
  }
  /// The row of `visible` for a query.
  int line(int head, int query) const { return (n_heads == 1 ? 0 : head) * rows + query - first; }
  std::size_t index(int head, int query, int key) const {
    return static_cast<std::size_t>(line(head, query)) * static_cast<std::size_t>(cols) +
           static_cast<std::size_t>(key);
  }
};

/// Combines all parts of a mask. Ignores indices beyond the sequence. Errors:
/// - A loaded mask has another shape; the message names both.
/// - A file has three dimensions, and the batch as many sequences as heads, so that its first is ambiguous.
/// - Float masks sum to +∞ or NaN in a cell, for which the softmax would give NaN.
Result<CombinedMask> combine(const MaskSpec& spec, float value, const MaskSizes& sizes);

/// The queries of one head that see no keys.
std::vector<int> rows_without_keys(const CombinedMask& mask, int head);

/// Why a cell of a head's map is hidden ("causal: key 5 comes after query 3"). Empty if it is visible.
/// Requires that combine() succeeds.
std::string why_hidden(const MaskSpec& spec, const MaskSizes& sizes, int head, Cell cell);

}  // namespace headscope
