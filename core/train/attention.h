#pragma once

#include <cstdint>

#include "core/model/architecture.h"
#include "core/train/loss.h"
#include "core/train/rows.h"
#include "core/train/seen_keys.h"

namespace headscope {

/// What of the loss's gradient reaches a head, as sums of squares over the visible cells of a batch: by its
/// weights, before dropout; and behind softmax and softcap by its scaled scores.
struct ScoreGradientSums {
  double weights = 0.0;
  double scores = 0.0;
};

/// How the heads of one attention look, in training: softmax over the keys of scores that are scaled and
/// capped as the architecture says, or, where it is linear, shares of scores of mapped queries and keys.
struct HeadPlan {
  const Architecture& architecture;
  Stack stack = Stack::encoder;
  SeenKeys seen = {};
  Rotary rotary = {};
  bool has_positions = true;  ///< rotary positions and biases by distance are of self-attention alone
  float dropout = 0.0F;       ///< share of the weights that is removed
  std::uint64_t stream = 0;   ///< names the numbers that dropout draws
  /// Whose looks one head is taught: in self-attention, the sequences of shard.asked(). Nothing: none is.
  const Shard* teacher = nullptr;
  /// Of each head, added to on the way back; null: nobody asks.
  ScoreGradientSums* gradient_sums = nullptr;
};

/// The head that is taught where to look, in the last layer of the last stack.
inline constexpr int taught_head = 0;

/// What the forward pass of one attention leaves for the backward pass.
template <class Scalar>
struct HeadState {
  Rows<Scalar> query;       ///< [N, H·K]; turned, with rotary positions, and mapped where it is linear
  Rows<Scalar> key;         ///< [M, Hₖ·K]; turned, mapped
  Rows<Scalar> value;       ///< [M, Hₖ·V]
  Numbers<Scalar> capped;   ///< scores after the softcap, laid out like `weights`; empty without it
  Numbers<Scalar> weights;  ///< of each sequence and head [T, S], rows padded to whole vectors with zeros
  /// Where it is linear: of each sequence, head and query the sum of its scores.
  Numbers<Scalar> row_sums;
  Numbers<Scalar> factors;  ///< of dropout, laid out like `weights`; empty without it
  Rows<Scalar> concat;      ///< [N, H·V]
};

/// What the heads themselves learn, or its gradients; null where the model has no such part.
template <class Scalar>
struct HeadParameters {
  Scalar* relative = nullptr;  ///< [H, relative_width()] biases by distance
  Scalar* sinks = nullptr;     ///< [H] scores that no key has
};

/// The heads of a batch: fills weights, factors and concat from query, key and value, which it turns where
/// positions are rotary, and maps where attention is linear. `queries` and `keys` hold the same number of
/// sequences.
template <class Scalar>
void heads_forward(const HeadPlan& plan, const Sequences& queries, const Sequences& keys,
                   const HeadParameters<const Scalar>& parameters, HeadState<Scalar>& state);

/// From d_concat, the loss's gradient by `concat`: those by the query, key and value that entered, and adds
/// those by the parameters.
template <class Scalar>
void heads_backward(const HeadPlan& plan, const Sequences& queries, const Sequences& keys,
                    const HeadState<Scalar>& state, const Rows<Scalar>& d_concat, Rows<Scalar>& d_query,
                    Rows<Scalar>& d_key, Rows<Scalar>& d_value,
                    const HeadParameters<const Scalar>& parameters, const HeadParameters<Scalar>& gradients);

/// Adds the cross-entropy −ln w of the taught head's weights at the teacher's looks to a score; correct is a
/// row whose greatest weight is there.
template <class Scalar>
void add_looks(const HeadPlan& plan, const HeadState<Scalar>& state, Score& score);

}  // namespace headscope
