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
  int n_queries = 0;  ///< T
  int n_keys = 0;     ///< S
  /// How many of the first keys an earlier pass has left in the buffers. They are not computed again.
  int n_cached = 0;
  /// The number of rows of a head's maps in memory, if an earlier pass has left the first of them there. 0
  /// stands for one row per query.
  int n_map_rows = 0;
  int first_position = 0;  ///< The position of the first computed query and key, for rotary positions.
  int d_model = 0, n_heads = 0, d_head = 0, d_value = 0;
  /// Hₖ. It divides n_heads: the query heads share keys and values in groups of equal size.
  int n_kv_heads = 0;
  /// d_c, the width of the rows from which keys and values are made. 0 if they are made from the input. With
  /// a latent, these rows and the shared keys are cached, and keys and values are computed again.
  int latent_width = 0;
  int shared_key_width = 0;  ///< d_R: the number of leading dimensions of a key that all heads share.
  bool output_projection = true;
  bool mask_changes_scores = false;  ///< If false, `masked` is `scaled` itself and takes no memory.
  bool rotates = false;              ///< Whether positions are rotary, as `rotary` describes them.
  Rotary rotary;
  bool caps = false;   ///< If false, `capped` is `scaled` itself and takes no memory.
  bool norms = false;  ///< If false, `normed_query` is `query` itself, and likewise for the key.
  bool gates = false;  ///< If false, `gated` is `concat` itself.
  /// Whether attention is linear: queries and keys go through φ, and weights are shares of a row's sum,
  /// without a softmax. If false, `mapped_query` is `rotated_query` itself, and likewise for the key.
  bool is_linear = false;
  bool drops = false;  ///< If false, `dropped` is `weights` itself and takes no memory.
  /// Whether, without an output projection, `projected` is a copy, so that its rows can be given or replaced.
  /// If false, it is `gated` itself.
  bool copies_projected = false;
  /// If false, `raw` and `scaled` take no memory, because cells that the mask hides with −∞ are not computed.
  /// Such a mask changes scores. HeadMaps computes both on demand.
  bool keeps_scores = true;
  /// If false, the maps [H, T, S] take no memory, and HeadMaps computes their rows again.
  bool keeps_maps = true;

  int concat_width() const { return n_heads * d_value; }
  /// The width of the output of attention.
  int projected_width() const { return output_projection ? d_model : concat_width(); }
  bool has_latent() const { return latent_width > 0; }
  int own_key_width() const { return n_kv_heads * (d_head - shared_key_width); }
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

/// Where the numbers of one multi-head attention are: parts of a block of memory that is owned elsewhere.
struct AttentionBuffers {
  AttentionShape shape;
  float* query = nullptr;          ///< [T, H·K]
  float* latent = nullptr;         ///< [S, d_c] Null without a latent, as are the two members after it.
  float* normed_latent = nullptr;  ///< [S, d_c]
  float* shared_key = nullptr;     ///< [S, d_R] Also null if the heads share no key.
  float* own_key = nullptr;  ///< [S, Hₖ·(K − d_R)] The same address as `key` if the heads share no key.
  float* key = nullptr;      ///< [S, Hₖ·K]
  float* value = nullptr;    ///< [S, Hₖ·V]
  float* normed_query = nullptr;  ///< [T, H·K] The same address as `query` without norms of queries and keys.
  float* normed_key = nullptr;    ///< [S, Hₖ·K]
  float* rotated_query = nullptr;  ///< [T, H·K] The same address as `normed_query` without rotary positions.
  float* rotated_key = nullptr;    ///< [S, Hₖ·K]
  /// [T, H·K] The same address as `rotated_query` unless attention is linear.
  float* mapped_query = nullptr;
  float* mapped_key = nullptr;  ///< [S, Hₖ·K]
  float* raw = nullptr;         ///< [H, T, S] Null if maps are not kept, as are the five members after it.
  float* scaled = nullptr;      ///< [H, T, S]
  float* capped = nullptr;      ///< [H, T, S] The same address as `scaled` without a softcap.
  float* masked = nullptr;      ///< [H, T, S] The same address as `capped` if no mask changes scores.
  float* weights = nullptr;     ///< [H, T, S]
  float* dropped = nullptr;     ///< [H, T, S] The same address as `weights` without dropout.
  /// [Hₖ, K, V] and then [Hₖ, K]: Σ φ(k) vᵀ and Σ φ(k) over the previous keys. A linear attention with a
  /// single query reads this state in place of those keys and adds its own key to it. Null if all keys are
  /// present.
  float* state = nullptr;
  float* concat = nullptr;     ///< [T, H·V] The output of head h is in columns h·V … (h + 1)·V.
  float* gate = nullptr;       ///< [T, H·V] Null without a gate.
  float* gated = nullptr;      ///< [T, H·V] The same address as `concat` without a gate.
  float* projected = nullptr;  ///< [T, D] Without an output projection [T, H·V]: `gated` or a copy of it.

  AttentionBuffers() = default;
  /// `concat` is where the heads' outputs already are. If null, they are laid out with the rest.
  AttentionBuffers(const AttentionShape& shape, Carver& carver, float* concat = nullptr);
  /// Lays out queries, keys and values for the present shape.
  void take_projections(Carver& carver);
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

/// How one attention is computed, apart from its weights and inputs.
struct AttentionPlan {
  const AttentionOptions& options;
  const CombinedMask& mask;
  const DistanceBiases* biases = nullptr;
  std::optional<Dropout> dropout;  ///< Set if and only if the buffers' shape has dropout.
  /// Whether the heads' outputs are already in place, so that only the steps around the heads are computed.
  bool has_outputs = false;
  const PassEdits* edits = nullptr;  ///< The interventions. Null if there are none.
  HeadId place = {};                 ///< The place of the attention; its head is 0.
  float score_scale = 0.0F;          ///< Replaces 1/√d_head. 0 keeps 1/√d_head.
  float norm_epsilon = 1e-5F;        ///< For the norms of queries, keys and a latent.
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

/// The factor of the raw scores: 1 / (√d_head · τ), or score_scale / τ. With a latent, it includes YaRN's
/// factor for all scores (score_amplitude()). If attention is linear, the factor is 1, because any other
/// would cancel.
float score_factor(const AttentionPlan& plan, const AttentionShape& shape);

/// Computes queries, keys and values of all heads. Fills `query`, `key`, `value`, the rows from which keys
/// and values are made, and the members for norms and rotary positions. Given queries, keys and values take
/// the place of computed ones, and interventions replace rows.
void project(const AttentionWeights& weights, const AttentionInputs& inputs, const AttentionPlan& plan,
             AttentionBuffers& buffers, TaskPool& pool);

/// The first half of multi-head attention: fills every part of `buffers` up to the outputs of the heads
/// (`concat`), except for what is cached. The inputs have only those rows of keys and values that are not
/// cached. Heads run in parallel on `pool`. Their rows are processed in blocks that stay in the cache, so
/// that a score is scaled, masked, normalised and used before it leaves it. Softmax subtracts the row's
/// maximum first; a row that sees nothing under −∞ gives zeros. Maps can be left out only with softmax over
/// keys. Returns false if `stop` became true.
bool heads_outputs(const AttentionWeights& weights, const AttentionInputs& inputs, const AttentionPlan& plan,
                   AttentionBuffers& buffers, TaskPool& pool, const std::atomic<bool>* stop = nullptr);

/// Fills `to.concat` with the outputs of another pass of the same attention, in which nothing differs but
/// that one head is not switched off there.
void take_outputs_without(int head, const AttentionPlan& plan, const AttentionBuffers& from,
                          AttentionBuffers& to);

/// The second half: the gate, which is computed from the attention's `input`, and the output projection.
void join_heads(const AttentionWeights& weights, const MatrixView& input, const AttentionPlan& plan,
                AttentionBuffers& buffers, TaskPool& pool);

/// Multi-head attention: both halves. Returns false if `stop` became true.
bool attention_forward(const AttentionWeights& weights, const AttentionInputs& inputs,
                       const AttentionPlan& plan, AttentionBuffers& buffers, TaskPool& pool,
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
