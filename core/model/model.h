#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/model/architecture.h"
#include "core/model/linear.h"

namespace headscope {

/// Weights of one multi-head attention. H heads, of which groups share Hₖ keys and values, K d_head, V
/// d_value; all heads' W_Q stand side by side, head h's in the columns h·K … (h + 1)·K, and so on; what
/// groups share is there once for each.
struct AttentionWeights {
  Linear query;     ///< [width of what asks, H·K]
  Linear key;       ///< [width of what is asked, Hₖ·K]; from a latent [d_c, Hₖ·(K − d_R)]
  Linear value;     ///< [width of what is asked, Hₖ·V]; from a latent [d_c, Hₖ·V]
  Linear out;       ///< [H·V, D] W_O; empty without an output projection
  RowVector sinks;  ///< [H] a score of each head that no key has; empty without sinks
  RowVector query_gain, key_gain;  ///< [K] of the norms of queries and keys; empty without them
  Linear gate;                     ///< [width of what asks, H·V] W_G; empty without a gate
  Linear latent;                   ///< [width of what is asked, d_c] W_DKV; empty without a latent
  RowVector latent_gain;           ///< [d_c] of the latent's norm; empty without one
  Linear shared_key;               ///< [width of what is asked, d_R] W_KR; empty where heads share no key
};

/// A norm's own parameters; empty where there is no norm.
struct NormWeights {
  RowVector gain;  ///< [D]
  RowVector bias;  ///< [D]; empty of RMS norm
};

/// Each row of x [T, D], normalised as the architecture has it; `out` [T, D] is contiguous and may be x.
void normalise(const Architecture& architecture, const NormWeights& norm, const MatrixView& x, float* out);

/// W_2 activation(W_1 x), or W_2 (activation(W_1 x) · W_up x) where it is gated; empty where there is no
/// feed-forward layer.
struct FeedForwardWeights {
  Linear hidden;  ///< [D, d_ff]
  Linear up;      ///< [D, d_ff]; empty where it is not gated
  Linear output;  ///< [d_ff, D]
};

struct LayerWeights {
  AttentionWeights self;
  NormWeights self_norm;
  NormWeights self_output_norm;  ///< with Norm::both, as the two after it
  AttentionWeights cross;        ///< in a decoder that looks at an encoder
  NormWeights cross_norm;
  NormWeights cross_output_norm;
  FeedForwardWeights feed_forward;
  NormWeights feed_forward_norm;  ///< empty where the feed-forward layer shares attention's
  NormWeights feed_forward_output_norm;
};

struct StackWeights {
  std::vector<LayerWeights> layers;  ///< empty where the model has no such stack
  NormWeights norm;                  ///< after the last layer, with Norm::pre and Norm::both
  /// [H, Architecture::relative_width()] where each stack has a table of relative positions; otherwise empty.
  Matrix position_biases;
};

/// An architecture with its weights. Immutable once made.
struct Model {
  Architecture architecture;
  StackWeights encoder;
  StackWeights decoder;
  Matrix embedding_table;      ///< [vocabulary, E]; empty where each word's row is drawn from the word itself
  Matrix segments_table;       ///< [segments, E]; empty without segments
  NormWeights embedding_norm;  ///< of E; empty without it
  Linear embedding_projection;  ///< [E, D]; does not exist where E is D
  Linear output_transform;      ///< [D, E]; does not exist without it
  NormWeights output_transform_norm;
  /// [D or E, vocabulary] of a final linear layer of its own; null where it is tied, absent, or drawn by
  /// words.
  std::shared_ptr<const Linear> unembedding;
  RowVector
      unembedding_bias;  ///< [vocabulary] of a tied one; empty where there is none, or it is drawn by words
  /// Positions::learned: [ForeignParts::position_rows, E], a row a position. Positions::relative in a model
  /// of one stack: [H, Architecture::relative_width()], the bias of each head by relative_column(). Otherwise
  /// empty.
  Matrix positions_table;
  bool drawn = true;  ///< weights are random_model's; otherwise somebody else's

  const StackWeights& stack(Stack which) const { return which == Stack::encoder ? encoder : decoder; }
  /// The table of relative positions that a stack's self-attention reads.
  const Matrix& position_biases(Stack which) const {
    return architecture.has_position_tables_of_stacks() ? stack(which).position_biases : positions_table;
  }
};

/// Random weights for a valid architecture. Every matrix of every head is drawn from a stream of its own,
/// named by its path and the seed: changing the number of heads or layers does not change those that stay.
/// Gains are 1 and their biases 0, as before training. `vocabulary` > 0 also draws an embedding table of that
/// many rows, N(0, 1), or N(0, 1/D) where embeddings are multiplied by √D, and a final linear layer of its
/// own to as many words, N(0, 1/D), whose bias is uniform in ±1/√D. Matrices are shared out over `pool`.
/// Where `stop` becomes true, some stay undrawn.
Model random_model(const Architecture& architecture, int vocabulary, TaskPool& pool,
                   const std::atomic<bool>* stop = nullptr);

/// The row of one word, N(0, 1), drawn from the word itself and the seed: it depends on no other word.
void word_embedding(std::string_view lookup, std::uint64_t seed, std::span<float> row);
/// The word's column of an untied final linear layer, drawn likewise, N(0, 1/D).
void word_unembedding(std::string_view lookup, std::uint64_t seed, std::span<float> column);
/// The word's number in the bias of the final linear layer, drawn likewise, uniform in ±1/√d_model.
float word_unembedding_bias(std::string_view lookup, std::uint64_t seed, int d_model);

}  // namespace headscope
