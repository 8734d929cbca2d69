#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/tensor/view.h"

namespace headscope {

/// What a hidden cell holds in `masked`: −∞ or any finite number. Under −∞ a row with nothing visible gets
/// all-zero weights (PyTorch gives NaN); under a number it gets uniform weights. A number that is not far
/// below the visible scores leaves hidden cells a share of the attention. These are the usual ones.
struct MaskValue {
  static constexpr float minus_infinity = -std::numeric_limits<float>::infinity();
  static constexpr float minus_1e9 = -1e9F;
};

/// One cell of a map: row = query, column = key.
struct Cell {
  int query = 0;
  int key = 0;
  auto operator<=>(const Cell&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 misreads it
};

/// A mask that was read from a file. Boolean: 1 = may attend; float: added to the scaled scores.
/// Shape [T, S], [1, S] (the same for every query), [H, T, S], or for batches [B, T, S] or [B, H, T, S],
/// where B, H and T may be 1: the same for all.
struct LoadedMask {
  std::string name;  ///< the file's name, for messages and labels
  bool additive = false;
  int n_sequences = 1;        ///< 1: the same for every sequence of a batch
  int n_heads = 1;            ///< 1: the same for every head
  int rows = 0;               ///< T, or 1
  int cols = 0;               ///< S
  std::vector<float> values;  ///< [n_sequences, n_heads, rows, cols]
  /// `n_heads` may count the sequences of a batch instead: the file has three dimensions.
  bool heads_or_sequences = false;
  std::string axes = "ij";  ///< the file's own, as core/engine/mask_file.h says them
  bool operator==(const LoadedMask&) const = default;
};

/// The same file transposed.
LoadedMask transposed(const LoadedMask& mask);

/// Whether it is square and would mean something else if transposed.
bool could_be_transposed(const LoadedMask& mask);

/// The requested mask: what hides cells. Everything given is combined (booleans by AND, additive masks by
/// adding).
struct MaskSpec {
  bool causal = false;        ///< key j ≤ query i
  std::optional<int> window;  ///< |i − j| ≤ window
  /// So many first keys that no window hides: StreamingLLM's attention sinks (Xiao et al. 2023).
  std::optional<int> first_keys;
  std::optional<int> prefix;  ///< the first keys, visible to all; the rest is causal
  std::optional<int> block;   ///< only keys of the query's own block of so many tokens: ⌊i/B⌋ = ⌊j/B⌋
  std::optional<int> dilation;  ///< only keys whose distance is a multiple of it
  /// First tokens of the second, third … document, sorted: a query sees only keys of its own document.
  std::vector<int> documents;
  std::string
      separator;  ///< words that end a document, too; add_documents() says where they are; empty: none
  std::vector<int> padding;   ///< keys hidden from all, sorted
  std::vector<Cell> painted;  ///< cells hidden by hand, sorted
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

/// A prefix is causal behind its first keys, and a causal mask would hide what it shows: where a person
/// switches one of the two on, the other goes.
void set_causal(MaskSpec& spec, bool on);
void set_prefix(MaskSpec& spec, std::optional<int> length);

/// The documents with those that begin after a separator, of which `ends` are the places; nothing begins at
/// or after `n_tokens`.
void add_documents(MaskSpec& spec, const std::vector<int>& ends, int n_tokens);

/// Sizes that a mask must fit.
struct MaskSizes {
  int n_queries = 0;
  int n_keys = 0;
  int n_heads = 1;
  int n_sequences = 1;  ///< of the batch
  int sequence = 0;     ///< the one of the batch that the mask is for
  /// Of the layer's sliding window: only keys closer than so many tokens are visible. Nothing: it has none.
  std::optional<int> sliding = {};
  /// The first query's place among the keys, from which causal masks and windows count.
  int query_offset = 0;
};

/// The mask of one attention, combined. Empty members mean "nothing to do".
struct CombinedMask {
  int n_heads = 1;  ///< 1: the same for every head
  int rows = 0;
  int cols = 0;
  std::vector<std::uint8_t> visible;  ///< [n_heads, T, S]; empty: all visible
  std::vector<float> added;           ///< [n_heads, T, S]; empty: nothing added
  float value = MaskValue::minus_infinity;

  bool is_visible(int head, int query, int key) const {
    return visible.empty() || visible[index(head, query, key)] != 0;
  }
  float addend(int head, int query, int key) const {
    return added.empty() ? 0.0F : added[index(head, query, key)];
  }
  /// Whether a key can have weight: a mask that is added hides it by −∞.
  bool sees(int head, int query, int key) const {
    return is_visible(head, query, key) && std::isfinite(addend(head, query, key));
  }
  std::size_t index(int head, int query, int key) const {
    return (static_cast<std::size_t>(n_heads == 1 ? 0 : head) * static_cast<std::size_t>(rows) +
            static_cast<std::size_t>(query)) *
               static_cast<std::size_t>(cols) +
           static_cast<std::size_t>(key);
  }
};

/// Combines a requested mask. Indices beyond the sequence are ignored; a loaded mask of another shape is an
/// error that names both shapes, and so is a file of three dimensions where a batch has as many sequences as
/// there are heads: it is unclear which its first counts. So are float masks whose sum is +∞ or NaN in a
/// cell, for which softmax gives NaN.
Result<CombinedMask> combine(const MaskSpec& spec, float value, const MaskSizes& sizes);

/// The queries of one head that see no key at all.
std::vector<int> rows_without_keys(const CombinedMask& mask, int head);

/// What hides one cell of a head's map, in words ("causal: key 5 comes after query 3"); empty when it is
/// visible. For masks that combine() takes with these sizes.
std::string why_hidden(const MaskSpec& spec, const MaskSizes& sizes, int head, Cell cell);

}  // namespace headscope
