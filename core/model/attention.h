#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/model/attention_options.h"
#include "core/model/model.h"
#include "core/model/operations.h"
#include "core/model/pass_edits.h"
#include "core/model/stage.h"
#include "core/tensor/aligned_buffer.h"
#include "core/tensor/packed_product.h"
#include "core/tensor/parallel.h"
#include "core/tensor/softmax.h"

namespace headscope {

/// The sizes of one multi-head attention.
struct AttentionShape {
  int n_queries = 0;  ///< T: the number of queries to compute
  int n_keys = 0;     ///< S: the number of keys
  /// The positions of the first query and key in the text, which index masks, position biases and
  /// interventions.
  int first_query = 0, first_key = 0;
  int d_model = 0, n_heads = 0, d_head = 0, d_value = 0;
  /// Hₖ. Divides n_heads: query heads share keys and values in groups of equal size.
  int n_kv_heads = 0;
  bool output_projection = true;
  bool mask_changes_scores = false;  ///< If false, `masked` aliases `capped`.
  bool has_softcap = false;          ///< If false, `capped` aliases `scaled`.
  /// Whether attention is linear: weights are normalised scores, without a softmax.
  bool is_linear = false;
  bool has_dropout = false;  ///< If false, `dropped` aliases `weights`.
  /// If false, `raw` and `scaled` are not stored: cells hidden with −∞ are skipped, and HeadMaps computes
  /// both on demand. Implies mask_changes_scores.
  bool keeps_scores = true;
  /// If false, the maps [H, T, S] are not stored, and HeadMaps recomputes their rows.
  bool keeps_maps = true;
  /// The stored rows of a head's maps, if the first ones were copied from an earlier pass. 0 means one per
  /// query.
  int n_map_rows = 0;

  int concat_width() const { return n_heads * d_value; }
  int query_width() const { return n_heads * d_head; }
  int key_width() const { return n_kv_heads * d_head; }
  int value_width() const { return n_kv_heads * d_value; }
  int group_size() const { return n_heads / n_kv_heads; }
  /// The key-value head of a query head.
  int kv_head_of(int head) const { return head / group_size(); }
  std::size_t map_floats() const {
    return static_cast<std::size_t>(n_map_rows > 0 ? n_map_rows : n_queries) *
           static_cast<std::size_t>(n_keys);
  }
  bool operator==(const AttentionShape&) const = default;
};

/// Non-owning pointers to the numbers of one multi-head attention.
struct AttentionBuffers {
  AttentionShape shape;
  float* query = nullptr;  ///< [T, H·K] As used by the scores: rotated if positions are rotary.
  float* key = nullptr;    ///< [S, Hₖ·K] Likewise.
  float* value = nullptr;  ///< [S, Hₖ·V] Null in a capture without values, which has no outputs.
  /// [2 S − 1, H·K] The queries and keys of distances, that of the same position in the middle. Null unless
  /// attention is disentangled.
  const float *position_query = nullptr, *position_key = nullptr;
  float* raw = nullptr;      ///< [H, T, S] Null if maps are not stored, like the five members below.
  float* scaled = nullptr;   ///< [H, T, S]
  float* capped = nullptr;   ///< [H, T, S] Aliases `scaled` without a softcap.
  float* masked = nullptr;   ///< [H, T, S] Aliases `capped` if no mask changes scores.
  float* weights = nullptr;  ///< [H, T, S]
  float* dropped = nullptr;  ///< [H, T, S] Aliases `weights` without dropout.
  /// [Hₖ, K, V] and then [Hₖ, K]: Σ φ(k) vᵀ and Σ φ(k) over the previous keys, which a linear attention with
  /// a single query reads instead of those keys, and updates with its own. Null if all keys are present.
  float* state = nullptr;
  float* concat = nullptr;  ///< [T, H·V] Head h has columns [h·V, (h + 1)·V).
  /// [T, D] Aliases `concat` without an output projection. Set only by attention_forward().
  float* projected = nullptr;

  AttentionBuffers() = default;
  /// Allocates every part.
  AttentionBuffers(const AttentionShape& shape, Arena& arena);
};

/// The inputs of the projections: `query` [T, ·], `key` and `value` [S, ·]. All the same in self-attention.
struct AttentionInputs {
  MatrixView query, key, value;
};

/// The position biases of each head; see distance_biases() in positions.h. Empty if there are none.
using DistanceBiases = std::vector<std::vector<float>>;

/// Inverted dropout (Srivastava et al. 2014): each weight draws a number from the random stream (`seed`,
/// `stream`) and is dropped if that is below p; the others are divided by 1 − p.
struct Dropout {
  float p = 0.0F;
  std::uint64_t stream = 0;

  /// Writes the factor of each weight of a row: 0 or 1/(1 − p).
  void factors(int head, int query, std::span<float> row) const;
};
Dropout dropout_of(const AttentionOptions& options, Stack stack, int layer, AttentionKind attention);

/// How one attention is computed from queries, keys and values.
struct AttentionPlan {
  const AttentionOptions& options;
  const CombinedMask& mask;
  const DistanceBiases* biases = nullptr;
  std::optional<Dropout> dropout;    ///< Set if and only if the shape has dropout.
  const PassEdits* edits = nullptr;  ///< The interventions. Null if there are none.
  bool edits_weights = true;         ///< Whether they change scores and weights, not only outputs
  HeadId place = {};                 ///< The attention; head is 0.
  float score_scale = 0.0F;          ///< Replaces 1/√d_head. 0 keeps 1/√d_head.
  float amplitude = 1.0F;            ///< The factor of all scores from positions (YaRN).
  float softcap = 0.0F;              ///< 0 if and only if the shape has no softcap.
  const float* sinks = nullptr;      ///< [H] The scores of the sinks, or null.
  /// The capture, or null if attention is computed from parameters.
  const CapturedAttention* captured = nullptr;

  /// Whether weights are read from a capture.
  bool has_captured_weights() const { return captured != nullptr && captured->weights != nullptr; }
  /// The edits of a head, or null.
  const HeadEdits* edits_of_head(int head) const {
    return edits == nullptr ? nullptr : edits_of(edits->heads_of(place), head);
  }
  /// Those of its scores and weights, or null.
  const HeadEdits* weight_edits_of_head(int head) const {
    return edits_weights ? edits_of_head(head) : nullptr;
  }
};

/// The factor of the raw scores: 1 / (√d_head · τ), or score_scale / τ, times the amplitude. 1 for linear
/// attention, where a factor would cancel.
float score_factor(const AttentionPlan& plan, const AttentionShape& shape);

/// Computes the heads: fills `buffers` from the maps to `concat`, in parallel over heads. Processes rows in
/// blocks that fit into the cache, from scores to outputs. Softmax subtracts the row maximum; a row hidden
/// entirely by −∞ gives zeros. Maps may be omitted only with softmax over keys. Returns false if `stop`
/// became true.
bool heads_forward(const AttentionPlan& plan, const AttentionBuffers& buffers, ThreadPool& pool,
                   const std::atomic<bool>* stop = nullptr);

/// Stand-alone multi-head attention, including projections (Vaswani et al. 2017, section 3.2.2). Returns
/// false if `stop` became true.
bool attention_forward(const AttentionWeights& weights, const AttentionInputs& inputs,
                       const AttentionPlan& plan, const AttentionBuffers& buffers, ThreadPool& pool,
                       const std::atomic<bool>* stop = nullptr);

/// The contribution of one head to the projected output: its output [T, V] times its rows of W_O [V, D], [T,
/// D].
Matrix head_contribution(const MatrixView& output, const MatrixView& rows_of_head);

/// Assembles `keys` [rows, n_heads · (n_shared + n_own)]: for every head, the shared dimensions followed by
/// its own.
template <class Scalar>
void join_keys(const Scalar* shared, int n_shared, const Scalar* own, int n_own, int n_heads, int rows,
               Scalar* keys);

/// Whether the maps are so large that they should be written with non-temporal stores.
bool should_stream_maps(const AttentionShape& shape);

/// [mask heads, T] For each query, the number of keys up to its last visible one. Empty if the mask hides
/// none.
std::vector<int> visible_key_counts(const CombinedMask& mask, const AttentionShape& shape);

/// The size of the state of a linear attention in floats: Hₖ · (K · V + K), independent of the text length.
std::size_t state_floats(const AttentionShape& shape);

/// Recomputes the maps of one head of an attention that did not store them, bit-identical, from its queries
/// and keys. Computes entire rows, because softmax needs them. Requires softmax over keys.
class HeadMaps {
 public:
  /// The referents of `plan`, and the queries and keys, must outlive this object.
  HeadMaps(const AttentionPlan& plan, const AttentionBuffers& buffers, int head);

  int n_rows() const { return buffers_.shape.n_queries; }
  int n_cols() const { return buffers_.shape.n_keys; }
  /// Writes rows [first, first + n) of the map that an operation makes, from Op::scores to Op::drop or
  /// Op::captured, to out [n, S]. Thread-safe.
  void rows(Op map, int first, int n, float* out) const;

 private:
  void some_rows(Op map, int first, int n, float* work, float* out) const;

  AttentionPlan plan_;
  AttentionBuffers buffers_;
  int head_;
  PackedMatrix keys_;
};

/// One head's slice of a query and a key, and their scores.
struct HeadSlice {
  std::vector<float> query;
  std::vector<float> key;
  double product = 0.0;  ///< query · key
  double scaled = 0.0;   ///< product / √d_head
};

/// Splits a query and a key of equal length into n_heads equal slices. n_heads must divide the length.
std::vector<HeadSlice> split_into_heads(std::span<const float> query, std::span<const float> key,
                                        int n_heads);

}  // namespace headscope
