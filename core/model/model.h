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
#include "core/model/word_table.h"

namespace headscope {

/// Rows of numbers that another program computed and a file holds.
struct CapturedRows {
  /// Writes n rows from `first` on to out, one after another. Thread-safe. Null if the file has no such rows.
  std::function<void(std::size_t first, int n, float* out)> read = nullptr;

  explicit operator bool() const { return read != nullptr; }
};

/// The numbers of a capture: what another program computed in the attention of its model. L layers have H
/// heads, which share Hₖ keys and values in groups, for T queries and S keys.
struct CapturedAttention {
  CapturedRows weights;  ///< [L·H·T, S]
  CapturedRows query;    ///< [L·H·T, K]
  CapturedRows key;      ///< [L·Hₖ·S, K]
  CapturedRows value;    ///< [L·Hₖ·S, V]
  CapturedRows hidden;   ///< [(L + 1)·T, D] What enters each layer, and what leaves the last.
  int n_queries = 0;     ///< T
  int n_keys = 0;        ///< S

  /// Reads the n rows [n, width] that enter a layer, or that leave the last one. Zeros if there are none.
  void read_hidden(int layer, int n, int width, float* out) const {
    const std::size_t first = static_cast<std::size_t>(layer) * static_cast<std::size_t>(n);
    if (hidden) return hidden.read(first, n, out);
    std::fill_n(out, static_cast<std::size_t>(n) * static_cast<std::size_t>(width), 0.0F);
  }
};

/// The weights of one multi-head attention, for H heads that share Hₖ keys and values in groups; K is d_head
/// and V is d_value. The matrices W_Q of all heads stand side by side: that of head h is in columns h·K … (h
/// + 1)·K. The same holds for the others. A matrix that a group shares is stored once.
struct AttentionWeights {
  Linear query;     ///< [input width of queries, H·K]
  Linear key;       ///< [input width of keys, Hₖ·K] With a latent [d_c, Hₖ·(K − d_R)].
  Linear value;     ///< [input width of keys, Hₖ·V] With a latent [d_c, Hₖ·V].
  Linear out;       ///< [H·V, D] W_O. Empty without an output projection.
  RowVector sinks;  ///< [H] A score of each head that belongs to no key. Empty without sinks.
  Matrix biases;    ///< [H, Architecture::relative_width()] If each layer has a table; otherwise empty.
  /// [Architecture::head_gains()] The gains of the norms of queries and keys. Empty without these norms.
  RowVector query_gain, key_gain;
  Linear gate;                  ///< [input width of queries, H·V] W_G. Empty without a gate.
  Linear query_latent;          ///< [input width of queries, q_c] W_DQ. Empty without a latent of queries.
  RowVector query_latent_gain;  ///< [q_c] The gain of its norm.
  Linear latent;                ///< [input width of keys, d_c] W_DKV. Empty without a latent.
  RowVector latent_gain;        ///< [d_c] The gain of the latent's norm. Empty without a latent.
  Linear shared_key;            ///< [input width of keys, d_R] W_KR. Empty if the heads share no key.
};

/// The parameters of a norm. Empty if there is no norm.
struct NormWeights {
  RowVector gain;  ///< [D]
  RowVector bias;  ///< [D] Empty for RMS norm.
};

/// Normalises each row of x [T, D] as the architecture requires. `out` [T, D] is contiguous and may be x.
void normalise(const Architecture& architecture, const NormWeights& norm, const MatrixView& x, float* out);

/// The weights of W_2 activation(W_1 x) or, if it is gated, W_2 (activation(W_1 x) · W_up x). Empty if there
/// is no feed-forward layer. The columns of W_1 and W_up and the rows of W_2 that belong to each expert, if
/// there are experts, are the parts of these layers.
struct FeedForwardWeights {
  Linear router;         ///< [D, E] Empty unless there are experts.
  RowVector correction;  ///< [E] Empty unless the choice of experts is corrected.
  Linear shared_gate;    ///< [D, 1] Empty unless there is an expert that every token takes.
  Linear hidden;         ///< [D, d_ff]
  Linear up;             ///< [D, d_ff] Empty if the layer is not gated.
  Linear output;         ///< [d_ff, D]
  Matrix expert_biases;  ///< [Experts::all(), D] Empty unless experts have biases.
};

struct LayerWeights {
  AttentionWeights self;
  NormWeights self_norm;         ///< Empty in layer 0 if it has none of its own.
  NormWeights self_output_norm;  ///< If norms are on outputs, as are the other two.
  AttentionWeights cross;        ///< In a decoder with cross-attention.
  NormWeights cross_norm;
  NormWeights cross_output_norm;
  FeedForwardWeights feed_forward;
  NormWeights feed_forward_norm;  ///< Empty if the feed-forward layer shares attention's norm.
  NormWeights feed_forward_output_norm;
};

struct StackWeights {
  std::vector<LayerWeights> layers;  ///< Empty if the model has no such stack.
  NormWeights norm;                  ///< The norm after the last layer. Empty if there is none.
  NormWeights embedding_norm;        ///< [E] Empty without this norm.
  /// [H, Architecture::relative_width()] If each stack has a table of relative positions; otherwise empty.
  Matrix position_biases;
  /// [ForeignParts::position_rows, E] If each stack has a table of learned positions; otherwise empty.
  Matrix position_rows;
};

/// An architecture with its weights. Immutable once made.
struct Model {
  Architecture architecture;
  StackWeights encoder;
  StackWeights decoder;
  WordTable embedding_table;    ///< [vocabulary, E] Empty if each word's row is drawn from the word itself.
  Matrix segments_table;        ///< [segments, E] Empty without segments.
  Linear embedding_projection;  ///< [E, D] Does not exist if E is D.
  Linear output_transform;      ///< [D, E] Does not exist without a transform.
  NormWeights output_transform_norm;
  /// [D or E, vocabulary] The final linear layer, if it has separate weights, or is tied to a table in a
  /// file. Null if it is tied to a table in memory, absent, or drawn word by word.
  std::shared_ptr<const Linear> unembedding;
  RowVector unembedding_bias;  ///< [vocabulary] Of a tied layer. Empty if there is none or it is drawn.
  /// With Positions::learned [ForeignParts::position_rows, E], one row per position, unless each stack has
  /// its own. With Positions::relative
  /// in a model of one stack [H, Architecture::relative_width()], the bias of each head by relative_column().
  /// Otherwise empty.
  Matrix positions_table;
  /// The numbers of a capture, which take the place of all weights. Null unless ForeignParts::captured is
  /// set.
  std::shared_ptr<const CapturedAttention> captured = {};
  bool drawn = true;  ///< Whether the weights come from random_model().

  const StackWeights& stack(Stack which) const { return which == Stack::encoder ? encoder : decoder; }
  StackWeights& stack(Stack which) { return which == Stack::encoder ? encoder : decoder; }
  /// The table of learned positions that a stack adds.
  const Matrix& position_rows(Stack which) const {
    return architecture.has_position_rows_of_stacks() ? stack(which).position_rows : positions_table;
  }
  /// The table of relative positions that the self-attention of a layer reads.
  const Matrix& position_biases(Stack which, int layer) const {
    if (architecture.has_bias_tables_of_layers())
      return stack(which).layers[static_cast<std::size_t>(layer)].self.biases;
    return architecture.has_bias_tables_of_stacks() ? stack(which).position_biases : positions_table;
  }
};

// Where the parameters of stages are in a model, which may be const.

template <class ModelType>
auto& layer_at(ModelType& model, const StageId& id) {
  return model.stack(id.stack).layers[static_cast<std::size_t>(id.layer)];
}

template <class ModelType>
auto& attention_at(ModelType& model, const StageId& id) {
  return id.attention == AttentionKind::self ? layer_at(model, id).self : layer_at(model, id).cross;
}

/// The linear layer that a stage's weights or bias belong to. It must exist, and it must not be the final
/// one, which may be tied to a table.
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

/// The norm that a gain or a bias belongs to. It must exist.
template <class ModelType>
auto& norm_of(ModelType& model, const StageId& id) {
  using enum StageKind;
  const bool is_self = id.attention == AttentionKind::self;
  switch (id.kind) {
    case embedding_norm_gain:
    case embedding_norm_bias:
      return model.stack(id.stack).embedding_norm;
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

/// The gain of a norm, or the sinks of an attention, which must exist.
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

/// A table of positions, of segments or of experts' biases, which must exist.
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

/// The numbers of a parameter that is neither the weights of a linear layer nor one of words: [1, width] for
/// all heads together, or a whole table. The model must have it.
MatrixView numbers_of(const Model& model, const StageId& parameter);

/// Random weights for a valid architecture. Every matrix of every head is drawn from a separate stream, named
/// by its path and the seed, so changing the number of heads or layers does not change those that stay. Gains
/// are 1 and their biases 0, as before training. If `vocabulary` > 0, an embedding table with that many rows
/// is drawn as well, N(0, 1), or N(0, 1/D) if embeddings are multiplied by √D; so is an untied final linear
/// layer to as many words, N(0, 1/D), whose bias is uniform in ±1/√D. `pool` draws the matrices in parallel.
/// If `stop` becomes true, some stay undrawn.
Model random_model(const Architecture& architecture, int vocabulary, TaskPool& pool,
                   const std::atomic<bool>* stop = nullptr);

/// The row of one word, N(0, 1), drawn from the word itself and the seed. It does not depend on other words.
void word_embedding(std::string_view lookup, std::uint64_t seed, std::span<float> row);
/// The word's column of an untied final linear layer, drawn in the same way, N(0, 1/D).
void word_unembedding(std::string_view lookup, std::uint64_t seed, std::span<float> column);
/// The word's number in the bias of the final linear layer, drawn in the same way, uniform in ±1/√d_model.
float word_unembedding_bias(std::string_view lookup, std::uint64_t seed, int d_model);

}  // namespace headscope
