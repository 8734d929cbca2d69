#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/attention_options.h"
#include "core/model/model.h"
#include "core/model/pass_edits.h"
#include "core/tensor/carver.h"
#include "core/tensor/parallel.h"

namespace headscope {

/// Sizes of one multi-head attention.
struct AttentionShape {
  int n_queries = 0;  ///< T
  int n_keys = 0;     ///< S
  /// Of these, the first that an earlier pass has left in the buffers: they are not computed again.
  int n_cached = 0;
  /// Rows of a head's maps in memory, where an earlier pass has left the first of them, too; 0: one for each
  /// query.
  int n_map_rows = 0;
  int first_position = 0;  ///< of the queries and of the keys that are computed, for rotary positions
  int d_model = 0, n_heads = 0, d_head = 0, d_value = 0;
  int n_kv_heads = 0;  ///< Hₖ, which divides n_heads: as many query heads share keys and values each
  /// d_c of the rows that keys and values are made from; 0: of what is asked. What is cached are then these
  /// rows and the shared keys, and keys and values are computed again.
  int latent_width = 0;
  int shared_key_width = 0;  ///< d_R: the first dimensions of a key that all heads share
  bool output_projection = true;
  bool mask_changes_scores = false;  ///< false: `masked` is `scaled` itself and takes no memory
  bool rotates = false;              ///< rotary positions, as `rotary` says
  Rotary rotary;
  bool caps = false;   ///< false: `capped` is `scaled` itself and takes no memory
  bool norms = false;  ///< false: `normed_query` is `query` itself, likewise the key
  bool gates = false;  ///< false: `gated` is `concat` itself
  /// Linear attention: queries and keys go through φ, and weights are shares of a row's sum, without softmax.
  /// False: `mapped_query` is `rotated_query` itself, likewise the key.
  bool is_linear = false;
  bool drops = false;  ///< false: `dropped` is `weights` itself and takes no memory
  /// Without an output projection, `projected` is a copy, whose rows are given or replaced. False: it is
  /// `gated` itself.
  bool copies_projected = false;
  /// False: `raw` and `scaled` take no memory, as what the mask hides under −∞ is not computed. Such a mask
  /// changes scores; HeadMaps computes both when they are looked at.
  bool keeps_scores = true;
  bool keeps_maps = true;  ///< false: [H, T, S] takes no memory; HeadMaps computes its rows again

  int concat_width() const { return n_heads * d_value; }
  /// Of what leaves it.
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

/// Where the numbers of one multi-head attention are: parts of a block of memory owned elsewhere.
struct AttentionBuffers {
  AttentionShape shape;
  float* query = nullptr;          ///< [T, H·K]
  float* latent = nullptr;         ///< [S, d_c]; null without a latent, as are the two after it
  float* normed_latent = nullptr;  ///< [S, d_c]
  float* shared_key = nullptr;     ///< [S, d_R]; null where heads share no key, too
  float* own_key = nullptr;       ///< [S, Hₖ·(K − d_R)]; the same address as `key` where they share none
  float* key = nullptr;           ///< [S, Hₖ·K]
  float* value = nullptr;         ///< [S, Hₖ·V]
  float* normed_query = nullptr;  ///< [T, H·K]; the same address as `query` without norms of queries and keys
  float* normed_key = nullptr;    ///< [S, Hₖ·K]
  float* rotated_query = nullptr;  ///< [T, H·K]; the same address as `normed_query` without rotary positions
  float* rotated_key = nullptr;    ///< [S, Hₖ·K]
  float* mapped_query = nullptr;   ///< [T, H·K]; the same address as `rotated_query` unless it is linear
  float* mapped_key = nullptr;     ///< [S, Hₖ·K]
  float* raw = nullptr;            ///< [H, T, S]; null where maps are not kept, as are the five after it
  float* scaled = nullptr;         ///< [H, T, S]
  float* capped = nullptr;         ///< [H, T, S]; the same address as `scaled` without a softcap
  float* masked = nullptr;         ///< [H, T, S]; the same address as `capped` where no mask changes scores
  float* weights = nullptr;        ///< [H, T, S]
  float* dropped = nullptr;        ///< [H, T, S]; the same address as `weights` without dropout
  /// [Hₖ, K, V] and then [Hₖ, K]: of the keys before, Σ φ(k) vᵀ and Σ φ(k), which a linear attention of a
  /// single query reads in their place, and adds its own to. Null: it has all keys.
  float* state = nullptr;
  float* concat = nullptr;     ///< [T, H·V]; head h's output is its columns h·V … (h + 1)·V
  float* gate = nullptr;       ///< [T, H·V]; null without a gate
  float* gated = nullptr;      ///< [T, H·V]; the same address as `concat` without a gate
  float* projected = nullptr;  ///< [T, D]; without an output projection [T, H·V], `gated` or a copy of it

  AttentionBuffers() = default;
  /// `concat`: where it is already; null: it is laid out with the others.
  AttentionBuffers(const AttentionShape& shape, Carver& carver, float* concat = nullptr);
  /// Lays out queries, keys and values for the shape that is there already.
  void take_projections(Carver& carver);
};

/// The inputs: queries are made from `query` [T, ·], keys and values from `key` and `value` [S, ·]. All three
/// are the same in self-attention.
struct AttentionInputs {
  MatrixView query, key, value;
};

/// What is added to the scores by distance, for each head: distance_biases() of positions.h. Empty: nothing.
using DistanceBiases = std::vector<std::vector<float>>;

/// Which weights dropout removes: those whose number of a stream of their own, named by `stream` and drawn
/// from `seed`, lies below p. The others are divided by 1 − p. Srivastava et al. 2014, inverted.
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
  std::optional<Dropout> dropout;    ///< given exactly where the buffers' shape drops
  bool has_outputs = false;          ///< the heads' outputs are there: only what is around them is computed
  const PassEdits* edits = nullptr;  ///< interventions; null: none
  HeadId place = {};                 ///< of the attention; its head is 0
  float score_scale = 0.0F;          ///< in place of 1/√d_head; 0: that
  float norm_epsilon = 1e-5F;        ///< of the norms of queries, keys and a latent
  float softcap = 0.0F;              ///< of the scaled scores; 0: none, exactly where the shape has none
  const float* sinks = nullptr;      ///< [H] scores that join softmax over keys; null: none

  /// What softmax makes the rows of weights add up to, where they see a key.
  RowSums row_sums() const { return headscope::row_sums(options.softmax, sinks != nullptr); }

  /// What is done to a head; null: nothing.
  const HeadEdits* edits_of_head(int head) const {
    return edits == nullptr ? nullptr : edits_of(edits->heads_of(place), head);
  }
};

/// What raw scores are multiplied by: 1 / (√d_head · τ), or score_scale / τ, and with a latent by what YaRN
/// makes of all scores there (score_amplitude()); 1 where it is linear, as it would cancel.
float score_factor(const AttentionPlan& plan, const AttentionShape& shape);

/// Queries, keys and values of all heads: fills `query`, `key`, `value`, what keys and values are made from,
/// and the parts of norms and rotary positions. Heads of which they are given have those, and rows that
/// interventions replace are replaced.
void project(const AttentionWeights& weights, const AttentionInputs& inputs, const AttentionPlan& plan,
             AttentionBuffers& buffers, TaskPool& pool);

/// Multi-head attention: fills every part of `buffers` but what is cached. Of keys and values, the
/// inputs have the rows that are not cached. Heads run in parallel on `pool`; their rows are
/// worked in blocks that stay in the cache, so that a score is scaled, masked, normalised and used before it
/// leaves it. False where `stop` became true. Softmax subtracts the row's maximum first; a row with nothing
/// visible under −∞ gives zeros. Maps that are not kept need softmax over keys.
bool attention_forward(const AttentionWeights& weights, const AttentionInputs& inputs,
                       const AttentionPlan& plan, AttentionBuffers& buffers, TaskPool& pool,
                       const std::atomic<bool>* stop = nullptr);

/// What one head adds to the projected output: its output [T, V] · W_O's rows of this head [V, D]. [T, D]
Matrix head_contribution(const MatrixView& output, const MatrixView& rows_of_head);

}  // namespace headscope
