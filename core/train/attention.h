#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/architecture.h"
#include "core/train/batch.h"
#include "core/train/rows.h"

namespace headscope {

/// The mask in training.
struct KeyVisibility {
  bool causal = false;  ///< Hides keys after the query
  /// The sliding window: hides keys at this distance or more.
  std::optional<int> sliding = {};

  /// Whether a key is outside the sliding window, where no head can be taught to attend.
  bool is_outside_window(int query, int key) const { return sliding && std::abs(query - key) >= *sliding; }
  bool hides(int query, int key) const { return (causal && key > query) || is_outside_window(query, key); }
};

/// How the heads of one attention compute their weights in training: scores are scaled and capped as in the
/// architecture, followed by softmax over keys or, in linear attention with mapped queries and keys,
/// normalisation by the row sum.
struct HeadPlan {
  const Architecture& architecture;
  const Sequences& queries;  ///< As many as keys.
  const Sequences& keys;
  Stack stack = Stack::encoder;
  KeyVisibility visibility = {};
  Rotary rotary = {};
  /// Whether rotary positions and position biases apply (self-attention only).
  bool has_positions = true;
  float dropout = 0.0F;      ///< The dropout probability of weights
  std::uint64_t stream = 0;  ///< The random stream of dropout
  /// The shard that teaches `taught_head` where to attend (Shard::attention_targets). Null if no head is
  /// taught.
  const Shard* teacher = nullptr;
  /// The sums of each head, to which the backward pass adds, or null.
  ScoreGradientSums* gradient_sums = nullptr;
};

/// The head that is taught where to attend, in the self-attention of the last layer of the last stack.
inline constexpr int taught_head = 0;

/// The activations of one attention saved for its backward pass.
template <class Scalar>
struct HeadActivations {
  // The inputs, which must outlive this:
  const RowMatrix<Scalar>* query =
      nullptr;  ///< [N, H·K], rotated if positions are rotary, mapped if it is linear.
  const RowMatrix<Scalar>* key = nullptr;    ///< [M, Hₖ·K], rotated and mapped likewise.
  const RowMatrix<Scalar>* value = nullptr;  ///< [M, Hₖ·V].
  /// The scores after the softcap, laid out like `weights`. Empty without a softcap.
  AlignedVector<Scalar> capped;
  AlignedVector<Scalar>
      weights;  ///< [T, S] for each sequence and head; rows are zero-padded to whole vectors.
  /// The sum of scores for each sequence, head and query. Empty unless attention is linear.
  AlignedVector<Scalar> row_sums;
  AlignedVector<Scalar> factors;  ///< The factors of dropout, laid out like `weights`. Empty without dropout.
  RowMatrix<Scalar> concat;       ///< [N, H·V].
};

/// The per-head parameters or their gradients. Null if the model lacks them.
template <class Scalar>
struct HeadParameters {
  Scalar* relative = nullptr;  ///< [H, relative_width()] Relative position biases
  Scalar* sinks = nullptr;     ///< [H] Scores of the attention sinks
};

/// The forward pass of a batch: fills weights, factors and concat from query, key and value.
template <class Scalar>
void heads_forward(const HeadPlan& plan, const HeadParameters<const Scalar>& parameters,
                   HeadActivations<Scalar>& state);

/// The gradients of the heads.
template <class Scalar>
struct HeadGradients {
  const RowMatrix<Scalar>& concat;
  RowMatrix<Scalar>&query, &key, &value;
  HeadParameters<Scalar> parameters;
};

/// The backward pass: computes the gradients of query, key and value from that of `concat`, and adds those of
/// the parameters.
template <class Scalar>
void heads_backward(const HeadPlan& plan, const HeadParameters<const Scalar>& parameters,
                    const HeadActivations<Scalar>& state, const HeadGradients<Scalar>& d);

/// Adds the attention loss of the taught head to `score`: the cross-entropy −ln w of its weights at the
/// target keys. A row is correct if its maximum weight is there.
template <class Scalar>
void add_attention_loss(const HeadPlan& plan, const HeadActivations<Scalar>& state, Score& score);

}  // namespace headscope
