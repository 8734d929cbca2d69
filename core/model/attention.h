#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/attention_options.h"
#include "core/model/model.h"
#include "core/model/pass_edits.h"
#include "core/tensor/aligned_buffer.h"
#include "core/tensor/parallel.h"

namespace headscope {

/// The sizes of one multi-head attention.
struct AttentionShape {
  int n_queries = 0;  ///< T: the queries that are computed.
  int n_keys = 0;     ///< S: the keys that they may see.
  /// The places of the first query and of the first key in the text: in the mask, in biases by distance, and
  /// in interventions.
  int first_query = 0, first_key = 0;
  int d_model = 0, n_heads = 0, d_head = 0, d_value = 0;
  /// Hₖ. It divides n_heads: the query heads share keys and values in groups of equal size.
  int n_kv_heads = 0;
  bool output_projection = true;
  bool mask_changes_scores = false;  ///< If false, `masked` is `capped` itself and takes no memory.
  bool caps = false;                 ///< If false, `capped` is `scaled` itself and takes no memory.
  /// Whether attention is linear: weights are shares of a row's sum, without a softmax.
  bool is_linear = false;
  bool drops = false;  ///< If false, `dropped` is `weights` itself and takes no memory.
  /// If false, `raw` and `scaled` take no memory, because cells that the mask hides with −∞ are not computed.
  /// Such a mask changes scores. HeadMaps computes both on demand.
  bool keeps_scores = true;
  /// If false, the maps [H, T, S] take no memory, and HeadMaps computes their rows again.
  bool keeps_maps = true;
  /// The number of rows of a head's maps in memory, if an earlier pass has left the first of them there. 0
  /// stands for one row per query.
  int n_map_rows = 0;

  int concat_width() const { return n_heads * d_value; }
  int query_width() const { return n_heads * d_head; }
  int key_width() const { return n_kv_heads * d_head; }
  int value_width() const { return n_kv_heads * d_value; }
  int group_size() const { return n_heads / n_kv_heads; }
  /// The head whose keys and values a query head uses.
  int kv_head_of(int head) const { return head / group_size(); }
  std::size_t map_floats() const {
    return static_cast<std::size_t>(n_map_rows > 0 ? n_map_rows : n_queries) *
           static_cast<std::size_t>(n_keys);
  }
  bool operator==(const AttentionShape&) const = default;
};

/// Where the numbers of one multi-head attention are: parts of memory that is owned elsewhere.
struct AttentionBuffers {
  AttentionShape shape;
  float* query = nullptr;  ///< [T, H·K] As the scores are computed from it: rotated if positions are rotary.
  float* key = nullptr;    ///< [S, Hₖ·K] Likewise.
  float* value = nullptr;  ///< [S, Hₖ·V] Null in a capture without values; there are then no outputs.
  float* raw = nullptr;    ///< [H, T, S] Null if maps are not kept, as are the five members after it.
  float* scaled = nullptr;   ///< [H, T, S]
  float* capped = nullptr;   ///< [H, T, S] The same address as `scaled` without a softcap.
  float* masked = nullptr;   ///< [H, T, S] The same address as `capped` if no mask changes scores.
  float* weights = nullptr;  ///< [H, T, S]
  float* dropped = nullptr;  ///< [H, T, S] The same address as `weights` without dropout.
  /// [Hₖ, K, V] and then [Hₖ, K]: Σ φ(k) vᵀ and Σ φ(k) over the previous keys. A linear attention with a
  /// single query reads this state in place of those keys and adds its own key to it. Null if all keys are
  /// present.
  float* state = nullptr;
  float* concat = nullptr;  ///< [T, H·V] The output of head h is in columns h·V … (h + 1)·V.
  /// [T, D] Without an output projection `concat`. Only attention_forward() fills it.
  float* projected = nullptr;

  AttentionBuffers() = default;
  /// Lays out every part.
  AttentionBuffers(const AttentionShape& shape, Carver& carver);
};

/// The inputs. Queries are made from `query` [T, ·], keys and values from `key` and `value` [S, ·]. In
/// self-attention all three are the same.
struct AttentionInputs {
  MatrixView query, key, value;
};

/// What each head adds to its scores by distance, from distance_biases() of positions.h. Empty if it adds
/// nothing.
using DistanceBiases = std::vector<std::vector<float>>;

/// Which weights dropout removes. Each weight has a random number from a stream that is named by `stream` and
/// drawn from `seed`; the weight is removed if its number is below p. The others are divided by 1 − p
/// (inverted dropout, Srivastava et al. 2014).
struct Dropout {
  float p = 0.0F;
  std::uint64_t stream = 0;

  /// The factor of each weight of a row: 0 or 1/(1 − p).
  void factors(int head, int query, std::span<float> row) const;
};
Dropout dropout_of(const AttentionOptions& options, Stack stack, int layer, AttentionKind attention);

/// How the heads of one attention are computed from queries, keys and values.
struct AttentionPlan {
  const AttentionOptions& options;
  const CombinedMask& mask;
  const DistanceBiases* biases = nullptr;
  std::optional<Dropout> dropout;    ///< Set if and only if the buffers' shape has dropout.
  const PassEdits* edits = nullptr;  ///< The interventions. Null if there are none.
  HeadId place = {};                 ///< The place of the attention; its head is 0.
  float score_scale = 0.0F;          ///< Replaces 1/√d_head. 0 keeps 1/√d_head.
  float amplitude = 1.0F;            ///< The factor that positions give to all scores.
  float softcap = 0.0F;          ///< The softcap of the scaled scores. 0 if and only if the shape has none.
  const float* sinks = nullptr;  ///< [H] Scores that join the softmax over keys. Null if there are none.
  /// The numbers that take the place of computed ones. Null if attention is computed from parameters.
  const CapturedAttention* captured = nullptr;

  /// Whether the weights are read from a capture instead of being computed from scores.
  bool reads_weights() const { return captured != nullptr && captured->weights; }
  /// Reads n rows of a head's weights [n, S] from the capture.
  void read_weights(const AttentionShape& shape, int head, int first, int n, float* out) const;
  /// What the rows of weights add up to after softmax, if they see a key.
  RowSums row_sums() const { return headscope::row_sums(options.softmax, sinks != nullptr); }

  /// What is done to a head. Null if nothing is.
  const HeadEdits* edits_of_head(int head) const {
    return edits == nullptr ? nullptr : edits_of(edits->heads_of(place), head);
  }
};

/// The factor of the raw scores: 1 / (√d_head · τ), or score_scale / τ, times the amplitude. If attention is
/// linear, the factor is 1, because any other would cancel.
float score_factor(const AttentionPlan& plan, const AttentionShape& shape);

/// Fills every part of `buffers` from the maps to `concat`. Heads run in parallel on `pool`. Their rows are
/// processed in blocks that stay in the cache, so that a score is scaled, masked, normalised and used before
/// it leaves it. Softmax subtracts the row's maximum first; a row that sees nothing under −∞ gives zeros.
/// Maps can be left out only with softmax over keys. Returns false if `stop` became true.
bool heads_forward(const AttentionPlan& plan, const AttentionBuffers& buffers, TaskPool& pool,
                   const std::atomic<bool>* stop = nullptr);

/// Multi-head attention by itself, without anything around it (Vaswani et al. 2017, section 3.2.2). Returns
/// false if `stop` became true.
bool attention_forward(const AttentionWeights& weights, const AttentionInputs& inputs,
                       const AttentionPlan& plan, const AttentionBuffers& buffers, TaskPool& pool,
                       const std::atomic<bool>* stop = nullptr);

/// What one head adds to the projected output: its output [T, V] times its rows of W_O [V, D]. The result is
/// [T, D].
Matrix head_contribution(const MatrixView& output, const MatrixView& rows_of_head);

/// Writes `keys` [rows, heads · (n_shared + n_own)]: in each row, for every head the shared numbers and then
/// its own.
template <class Scalar>
void join_keys(const Scalar* shared, int n_shared, const Scalar* own, int n_own, int n_heads, int rows,
               Scalar* keys);

}  // namespace headscope
