#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/model/linear.h"
#include "core/model/stage.h"

namespace headscope {

/// Reads rows [first, first + n) that another program computed, from a file into contiguous `out`.
/// Thread-safe. Null if the file has no such rows.
using CapturedRows = std::function<void(std::size_t first, int n, float* out)>;

/// A capture: the attention of a model, computed by another program. L layers, H heads, Hₖ key-value heads, T
/// queries, S keys.
struct CapturedAttention {
  CapturedRows weights;  ///< [L·H·T, S]
  CapturedRows query;    ///< [L·H·T, K]
  CapturedRows key;      ///< [L·Hₖ·S, K]
  CapturedRows value;    ///< [L·Hₖ·S, V]
  CapturedRows hidden;   ///< [(L + 1)·T, D] The input of each layer, and the output of the last
  int n_queries = 0;     ///< T
  int n_keys = 0;        ///< S

  /// Reads the input [n, width] of a layer or, for `layer` = L, the output of the last one. Zeros if absent.
  void read_hidden(int layer, int n, int width, float* out) const {
    const std::size_t first = static_cast<std::size_t>(layer) * static_cast<std::size_t>(n);
    if (hidden) return hidden(first, n, out);
    std::fill_n(out, static_cast<std::size_t>(n) * static_cast<std::size_t>(width), 0.0F);
  }
};

/// The weights of one multi-head attention with H heads and Hₖ key-value heads; K is d_head and V is d_value.
/// Matrices of all heads are concatenated by columns: W_Q of head h is in columns [h·K, (h + 1)·K). Matrices
/// shared by a group are stored once.
struct AttentionWeights {
  Linear query;     ///< [input width of queries, H·K]
  Linear key;       ///< [input width of keys, Hₖ·K] With a latent [d_c, Hₖ·(K − d_R)].
  Linear value;     ///< [input width of keys, Hₖ·V] With a latent [d_c, Hₖ·V].
  Linear out;       ///< [H·V, D] W_O. Empty without an output projection.
  RowVector sinks;  ///< [H] The scores of the sinks. Empty without sinks.
  Matrix biases;    ///< [H, Architecture::relative_width()] Empty unless each layer has a table.
  /// [Architecture::n_head_gains()] The gains of the query and key norms. Empty without these norms.
  RowVector query_gain, key_gain;
  Linear position_query, position_key;  ///< [D, H·K] Empty unless positions have projections of their own.
  Linear gate;                          ///< [input width of queries, H·V] W_G. Empty without a gate.
  Linear query_latent;                  ///< [input width of queries, q_c] W_DQ. Empty without a query latent.
  RowVector query_latent_gain;          ///< [q_c] The gain of its norm
  Linear latent;                        ///< [input width of keys, d_c] W_DKV. Empty without a latent.
  RowVector latent_gain;                ///< [d_c] The gain of the latent's norm. Empty without a latent.
  Linear shared_key;                    ///< [input width of keys, d_R] W_KR. Empty if the heads share no key.
};

/// The parameters of a norm. Empty if there is no norm.
struct NormWeights {
  RowVector gain;  ///< [D]
  RowVector bias;  ///< [D] Empty for RMS norm.
};

/// Applies the architecture's norm to each row of x [T, D]. `out` [T, D] is contiguous and may alias x.
void apply_norm(const Architecture& architecture, const NormWeights& norm, const MatrixView& x, float* out);

/// The weights of W_2 activation(W_1 x) or, if gated, W_2 (activation(W_1 x) · W_up x). Empty if there is no
/// feed-forward layer. With experts, Linear::parts holds the columns of W_1 and W_up and the rows of W_2 of
/// each expert.
struct FeedForwardWeights {
  Linear router;         ///< [D, E] Empty unless there are experts.
  RowVector correction;  ///< [E] Empty unless the router has a correction.
  Linear shared_gate;    ///< [D, 1] Empty unless there is a gated shared expert.
  Linear hidden;         ///< [D, d_ff]
  Linear up;             ///< [D, d_ff] Empty if the layer is not gated.
  Linear output;         ///< [d_ff, D]
  Matrix expert_biases;  ///< [Experts::all(), D] Empty unless experts have biases.
};

struct LayerWeights {
  AttentionWeights self;
  NormWeights self_norm;         ///< May be empty in layer 0.
  NormWeights self_output_norm;  ///< The output norms are empty unless norms are on outputs.
  AttentionWeights cross;        ///< Empty without cross-attention.
  NormWeights cross_norm;
  NormWeights cross_output_norm;
  FeedForwardWeights feed_forward;
  NormWeights feed_forward_norm;  ///< Empty if the feed-forward layer shares attention's norm.
  NormWeights feed_forward_output_norm;
};

struct StackWeights {
  std::vector<LayerWeights> layers;  ///< Empty if the model has no such stack.
  NormWeights norm;                  ///< The final norm. May be empty.
  NormWeights embedding_norm;        ///< [E] Empty without this norm.
  NormWeights distance_norm;         ///< [D] The norm of Disentangled::normalizes.
  /// [H, Architecture::relative_width()] Empty unless each stack has a relative position table.
  Matrix position_biases;
  /// [ForeignParts::position_rows, E] Empty unless each stack has a learned position table.
  Matrix position_rows;
};

/// An architecture with its weights. Immutable once constructed.
struct Model {
  Architecture architecture;
  StackWeights encoder;
  StackWeights decoder;
  WordTable embedding_table;    ///< [vocabulary, E] Empty if rows are drawn from the words themselves.
  Matrix segments_table;        ///< [segments, E] Empty without segments.
  Linear embedding_projection;  ///< [E, D] Does not exist if E is D.
  Linear output_transform;      ///< [D, E] Does not exist without a transform.
  NormWeights output_transform_norm;
  /// [D or E, vocabulary] The unembedding, if it has its own weights or is tied to a table in a file. Null if
  /// it is absent, tied to a table in memory, or drawn word by word.
  std::shared_ptr<const Linear> unembedding;
  RowVector unembedding_bias;  ///< [vocabulary] The bias of a tied unembedding. Empty if absent or drawn.
  /// The shared position table: with Positions::learned or Disentangled [ForeignParts::position_rows, E],
  /// with Positions::relative [H, Architecture::relative_width()], indexed by relative_column(). Empty if
  /// stacks or layers have their own tables.
  Matrix positions_table;
  /// The capture that replaces all weights. Null unless ForeignParts::captured is set.
  std::shared_ptr<const CapturedAttention> captured = {};
  bool drawn = true;  ///< Whether the weights come from random_model()

  const StackWeights& stack(Stack which) const { return which == Stack::encoder ? encoder : decoder; }
  StackWeights& stack(Stack which) { return which == Stack::encoder ? encoder : decoder; }
  /// The learned position table of a stack.
  const Matrix& position_rows(Stack which) const {
    return architecture.has_per_stack_position_rows() ? stack(which).position_rows : positions_table;
  }
  /// The relative position table of a layer's self-attention.
  const Matrix& position_biases(Stack which, int layer) const {
    if (architecture.has_per_layer_bias_tables())
      return stack(which).layers[static_cast<std::size_t>(layer)].self.biases;
    return architecture.has_per_stack_bias_tables() ? stack(which).position_biases : positions_table;
  }
};

// Access to the parameters of a stage; ModelType is Model or const Model.

template <class ModelType>
auto& layer_at(ModelType& model, const StageId& id) {
  return model.stack(id.stack).layers[static_cast<std::size_t>(id.layer)];
}

template <class ModelType>
auto& attention_at(ModelType& model, const StageId& id) {
  return id.attention == AttentionKind::self ? layer_at(model, id).self : layer_at(model, id).cross;
}

/// The linear layer of a weight or bias, which must exist. Not for the unembedding, which may be tied.
template <class ModelType>
auto& linear_of(ModelType& model, const StageId& id) {
  using enum StageKind;
  switch (id.kind) {
    case w_embedding:
    case b_embedding:
      return model.embedding_projection;
    case w_query:
    case b_query:
      return attention_at(model, id).query;
    case w_key:
    case b_key:
      return attention_at(model, id).key;
    case w_value:
    case b_value:
      return attention_at(model, id).value;
    case w_position_query:
    case b_position_query:
      return attention_at(model, id).position_query;
    case w_position_key:
    case b_position_key:
      return attention_at(model, id).position_key;
    case w_query_latent:
      return attention_at(model, id).query_latent;
    case w_latent:
      return attention_at(model, id).latent;
    case w_shared_key:
      return attention_at(model, id).shared_key;
    case w_output:
    case b_output:
      return attention_at(model, id).out;
    case w_gate:
      return attention_at(model, id).gate;
    case w_router:
    case b_router:
      return layer_at(model, id).feed_forward.router;
    case w_shared_gate:
      return layer_at(model, id).feed_forward.shared_gate;
    case w_1:
    case b_1:
      return layer_at(model, id).feed_forward.hidden;
    case w_up:
    case b_up:
      return layer_at(model, id).feed_forward.up;
    case w_2:
    case b_2:
      return layer_at(model, id).feed_forward.output;
    default:
      return model.output_transform;
  }
}

/// The norm of a gain or bias, which must exist.
template <class ModelType>
auto& norm_of(ModelType& model, const StageId& id) {
  using enum StageKind;
  const bool is_self = id.attention == AttentionKind::self;
  switch (id.kind) {
    case embedding_norm_gain:
    case embedding_norm_bias:
      return model.stack(id.stack).embedding_norm;
    case distance_norm_gain:
    case distance_norm_bias:
      return model.stack(id.stack).distance_norm;
    case norm_gain:
    case norm_bias:
      return is_self ? layer_at(model, id).self_norm : layer_at(model, id).cross_norm;
    case output_norm_gain:
    case output_norm_bias:
      return is_self ? layer_at(model, id).self_output_norm : layer_at(model, id).cross_output_norm;
    case feed_forward_norm_gain:
    case feed_forward_norm_bias:
      return layer_at(model, id).feed_forward_norm;
    case feed_forward_output_norm_gain:
    case feed_forward_output_norm_bias:
      return layer_at(model, id).feed_forward_output_norm;
    case final_norm_gain:
    case final_norm_bias:
      return model.stack(id.stack).norm;
    default:
      return model.output_transform_norm;
  }
}

/// A gain, the sinks of an attention, or a router correction, which must exist.
template <class ModelType>
auto& vector_of(ModelType& model, const StageId& id) {
  using enum StageKind;
  switch (id.kind) {
    case sink:
      return attention_at(model, id).sinks;
    case query_norm_gain:
      return attention_at(model, id).query_gain;
    case key_norm_gain:
      return attention_at(model, id).key_gain;
    case query_latent_norm_gain:
      return attention_at(model, id).query_latent_gain;
    case router_correction:
      return layer_at(model, id).feed_forward.correction;
    case latent_norm_gain:
      return attention_at(model, id).latent_gain;
    default:
      return norm_of(model, id).gain;
  }
}

/// A table of positions, segments or expert biases, which must exist.
template <class ModelType>
auto& table_of(ModelType& model, const StageId& id) {
  using enum StageKind;
  switch (id.kind) {
    case stack_positions_table:
      return model.stack(id.stack).position_biases;
    case stack_position_rows:
      return model.stack(id.stack).position_rows;
    case layer_biases_table:
      return attention_at(model, id).biases;
    case expert_biases:
      return layer_at(model, id).feed_forward.expert_biases;
    default:
      return id.kind == segments_table ? model.segments_table : model.positions_table;
  }
}

/// The numbers of a bias, gain or table: [1, width] for all heads, or the entire table. Not for weights of
/// linear layers or vocabulary parameters. The model must have it.
MatrixView numbers_of(const Model& model, const StageId& parameter);

/// A model with random weights, for a valid architecture. Each matrix of each head has its own random stream,
/// named by its path and the seed, so changing the number of heads or layers leaves the others unchanged.
/// Gains are 1 and their biases 0. If `vocabulary` > 0, also draws an embedding table with that many rows,
/// N(0, 1), or N(0, 1/D) if embeddings are scaled by √D, and an untied unembedding, N(0, 1/D), with its bias
/// uniform in ±1/√D. Draws matrices in parallel; if `stop` becomes true, some are left undrawn.
Model random_model(const Architecture& architecture, int vocabulary, ThreadPool& pool,
                   const std::atomic<bool>* stop = nullptr);

/// Draws the embedding of a word, N(0, 1), from the word and the seed alone.
void draw_word_embedding(std::string_view lookup, std::uint64_t seed, std::span<float> row);
/// Draws its column of an untied unembedding, N(0, 1/D).
void draw_word_unembedding(std::string_view lookup, std::uint64_t seed, std::span<float> column);
/// Draws its bias in the unembedding, uniform in ±1/√d_model.
float draw_word_unembedding_bias(std::string_view lookup, std::uint64_t seed, int d_model);

}  // namespace headscope
