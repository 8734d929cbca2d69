#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "core/model/architecture.h"
#include "core/train/loss.h"
#include "core/train/rows.h"

namespace headscope {

/// Determines which keys a query sees in training.
struct SeenKeys {
  bool causal = false;  ///< Hides the keys after the query.
  /// Hides keys that are not closer than this many tokens. No limit if nullopt.
  std::optional<int> sliding = {};

  /// Returns true if the sliding window hides a key. A head cannot be taught to look at such a key.
  bool slides_past(int query, int key) const { return sliding && std::abs(query - key) >= *sliding; }
  bool hides(int query, int key) const { return (causal && key > query) || slides_past(query, key); }
};

/// The parts of the loss's gradient that reach a head, as sums of squares over the visible cells of a batch:
/// with respect to its weights before dropout and, after the backward steps of softmax and softcap, with
/// respect to its scaled scores.
struct ScoreGradientSums {
  double weights = 0.0;
  double scores = 0.0;
};

/// Describes how the heads of one attention compute their weights in training. Scores are scaled and capped
/// as the architecture says. The weights are their softmax over the keys or, in linear attention, each
/// score's share of the sum for mapped queries and keys.
struct HeadPlan {
  const Architecture& architecture;
  Stack stack = Stack::encoder;
  SeenKeys seen = {};
  Rotary rotary = {};
  /// Rotary positions and biases by distance belong to self-attention only.
  bool has_positions = true;
  float dropout = 0.0F;      ///< The share of the weights that dropout removes.
  std::uint64_t stream = 0;  ///< Identifies the stream of random numbers that dropout draws from.
  /// The shard whose asked() sequences teach `taught_head` where to look, in self-attention. Null if no head
  /// is taught.
  const Shard* teacher = nullptr;
  /// The sums of each head, to which the backward pass adds. Null if they are not wanted.
  ScoreGradientSums* gradient_sums = nullptr;
};

/// The head that is taught where to look. It belongs to the self-attention of the last layer of the last
/// stack.
inline constexpr int taught_head = 0;

/// The results of one attention's forward pass that its backward pass needs.
template <class Scalar>
struct HeadState {
  // The inputs, which must outlive the state:
  const Rows<Scalar>* query =
      nullptr;                        ///< [N, H·K], rotated if positions are rotary, mapped if it is linear.
  const Rows<Scalar>* key = nullptr;  ///< [M, Hₖ·K], rotated and mapped likewise.
  const Rows<Scalar>* value = nullptr;  ///< [M, Hₖ·V].
  /// The scores after the softcap, laid out like `weights`. Empty without a softcap.
  Numbers<Scalar> capped;
  Numbers<Scalar> weights;  ///< [T, S] for each sequence and head, with rows zero-padded to whole vectors.
  /// The sum of scores for each sequence, head and query. Empty unless attention is linear.
  Numbers<Scalar> row_sums;
  Numbers<Scalar> factors;  ///< The factors of dropout, laid out like `weights`. Empty without dropout.
  Rows<Scalar> concat;      ///< [N, H·V].
};

/// The parameters that belong to the heads themselves, or their gradients. Null if the model has no such
/// part.
template <class Scalar>
struct HeadParameters {
  Scalar* relative = nullptr;  ///< [H, relative_width()] The biases by distance.
  Scalar* sinks = nullptr;     ///< [H] The scores that belong to no key.
};

/// Computes the heads of a batch: fills weights, factors and concat from query, key and value. `queries` and
/// `keys` must hold the same number of sequences.
template <class Scalar>
void heads_forward(const HeadPlan& plan, const Sequences& queries, const Sequences& keys,
                   const HeadParameters<const Scalar>& parameters, HeadState<Scalar>& state);

/// Computes the gradients with respect to the query, key and value that heads_forward() received from
/// d_concat, the loss's gradient with respect to `concat`. Adds those with respect to the parameters to
/// `gradients`.
template <class Scalar>
void heads_backward(const HeadPlan& plan, const Sequences& queries, const Sequences& keys,
                    const HeadState<Scalar>& state, const Rows<Scalar>& d_concat, Rows<Scalar>& d_query,
                    Rows<Scalar>& d_key, Rows<Scalar>& d_value,
                    const HeadParameters<const Scalar>& parameters, const HeadParameters<Scalar>& gradients);

/// Adds to a score the cross-entropy −ln w of the taught head's weights at the positions that the teacher
/// asks for. A row counts as correct if its greatest weight is at that position.
template <class Scalar>
void add_looks(const HeadPlan& plan, const HeadState<Scalar>& state, Score& score);

}  // namespace headscope
