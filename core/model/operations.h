#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/model/stage.h"
#include "core/tensor/elementwise.h"
#include "core/tensor/norm.h"

namespace headscope {

/// The operation of a node.
enum class Op {
  parameter,  ///< a leaf: a weight, bias, gain or table
  captured,   ///< a leaf, read from a capture
  lookup,     ///< a row of a table for each token, or a random row
  sum,        ///< Σ of the inputs
  copy,       ///< the input
  norm,       ///< LayerNorm or RMSNorm of each row, times a gain, plus a bias
  /// x / RMS(x) · γ of each row of queries, keys, values or latents, or as HeadNorm specifies; independent of
  /// the model's norms. Values have no γ.
  head_norm,
  linear,         ///< x W + b
  expert_linear,  ///< x W + b in the columns of the active experts, 0 elsewhere
  rotate,         ///< RoPE: rotates pairs of dimensions by an angle proportional to the position
  feature_map,    ///< elu(x) + 1
  scores,         ///< Q Kᵀ
  scale,          ///< divided by √d_head, the temperature or both
  cap,            ///< c · tanh(x / c)
  distance_bias,  ///< the bias of each distance between query and key
  /// Q K_Pᵀ or Q_P Kᵀ, the products of queries or keys with the rows of the distances
  position_products,
  position_sum,  ///< the products with positions, scaled as the scores are
  mask,          ///< scores plus position bias where visible, the mask value elsewhere
  softmax,       ///< over keys or queries, with sinks; shares of the sum in linear attention
  sink_share,    ///< the weight of the sink
  drop,          ///< dropout
  effective,     ///< weights times the norms of the projected values, normalised
  state,         ///< Σ φ(k) vᵀ
  state_sum,     ///< Σ φ(k)
  average,       ///< A V
  concat,        ///< the outputs of all heads, concatenated
  contribution,  ///< the output of one head times its rows of W_O
  slice,         ///< the layer's part of rows that have a part for each layer
  layer_scale,   ///< the input times a number of the layer, or times a gain
  gate,          ///< σ(x W)
  // The operations of several streams; see core/model/streams.h.
  as_large,
  predict,
  correct,
  add_to_streams,
  mean_of_streams,
  stream_linear,   ///< each stream times its own matrix
  tanh_linear,     ///< tanh(x W)
  limited_linear,  ///< x W with limited numbers of W
  lower,           ///< lowered by a quantile of the row, 0 below it
  root_sum,        ///< (a + b) / √2
  limited_gate,    ///< g σ(1.702 g) with g = min(x, c)
  limited_shift,   ///< x clamped to ±c, plus 1
  multiply,        ///< elementwise product of two inputs
  expert_sum,      ///< x W + b over the active experts
  route,           ///< the shares of the active experts, 0 for the others
  weigh,           ///< the hidden numbers of each expert times its share
  activate,        ///< the activation of the feed-forward layer
  word_softmax,    ///< softmax over the vocabulary
};

/// How passes treat an operation.
struct OpTraits {
  /// Whether it is part of the chain from scores to weights, which the head kernels compute block by block.
  bool is_inside_heads = false;
  /// Whether passes do not store stages of this operation: they only explain a pass, or another step does
  /// their work as well (the mask adds position biases itself). They are computed when they are asked for.
  bool is_on_demand = false;
  bool multiplies_weights = false;  ///< Whether it multiplies its last operand by the weights of a layer
  bool keeps_gradient = false;      ///< Whether the gradient of its operands is its own
  bool may_overwrite = false;       ///< Whether its result may take the memory of its first operand
  /// Whether the trainer computes it in the memory of its first operand, which its backward pass does not
  /// read.
  bool is_in_place = false;
};

constexpr OpTraits traits_of(Op op) {
  using enum Op;
  const auto is = [op](auto... any) { return ((op == any) || ...); };
  return {.is_inside_heads = is(scores, scale, cap, mask, softmax, drop),
          .is_on_demand = is(sink_share, effective, distance_bias, position_products, position_sum,
                             contribution, state, state_sum),
          .multiplies_weights = is(linear, gate, expert_linear, expert_sum),
          .keeps_gradient = is(sum, copy, concat),
          .may_overwrite = is(activate, multiply, weigh),
          .is_in_place = is(copy, concat, rotate, feature_map)};
}

// The operations that compute a row from the same row of one or two operands.

/// What such an operation reads and writes: contiguous rows. Scalar is float or, to test derivatives, double.
template <class Scalar>
struct OpRows {
  const Architecture& architecture;
  StageId stage;
  int rows = 0, cols = 0;                 ///< Those of the first operand
  const Scalar* x = nullptr;              ///< The first operand
  const Scalar* other = nullptr;          ///< The last operand, which may be the first
  const Scalar* parameter = nullptr;      ///< The first parameter, such as a gain; null if there is none
  int n_parameters = 0;                   ///< Its numbers
  const Scalar* bias = nullptr;           ///< The second parameter, or null
  Scalar* out = nullptr;                  ///< May be x
  RowMoments<Scalar>* moments = nullptr;  ///< Those of a norm, or null if nobody needs them

  std::size_t size() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols); }
  /// The parts of rows that a norm normalises: a head, all heads, or the whole row.
  int n_parts() const {
    return n_parameters == 0 ? 0 : static_cast<int>(size() / static_cast<std::size_t>(n_parameters));
  }
};

/// The gradients of its backward pass, which also reads `out`.
template <class Scalar>
struct OpGradients {
  bool of_first = true;  ///< Whether the gradient is that of the first operand, else of the last
  const Scalar* d_out = nullptr;
  /// That of the operand, which may be d_out. An operation with parameters adds to it, and to those of the
  /// parameters.
  Scalar* d_x = nullptr;
  Scalar* d_parameter = nullptr;
  Scalar* d_bias = nullptr;
};

/// The function that an operation applies to each number of its operands. Empty for other operations.
constexpr std::optional<Elementwise> function_of(Op op, Activation activation) {
  if (op == Op::feature_map) return Elementwise::elu_plus_one;
  if (op == Op::activate) return function_of(activation);
  return op == Op::multiply ? std::optional(Elementwise::multiply) : std::nullopt;
}

/// Norms rows. The number of gains is the length of what is normalised.
template <class Scalar>
void compute_norm(const OpRows<Scalar>& r) {
  const Architecture& a = r.architecture;
  const auto epsilon = static_cast<Scalar>(norm_epsilon(a, r.stage.kind));
  if (info(r.stage.kind).scope != StageScope::head || a.foreign.head_norm != HeadNorm::layer_of_head)
    return norm_rows(r.x, r.n_parts(), r.n_parameters, r.parameter, r.bias, epsilon, r.out, r.moments);
  const int width = a.head_width(r.stage.layer);
  const std::vector<Scalar> one(static_cast<std::size_t>(width), Scalar{1}), none(one.size());
  norm_rows(r.x, static_cast<int>(r.size() / one.size()), width, one.data(), none.data(), epsilon, r.out,
            r.moments);
  Scalar* out = r.out;
  for (int row = 0; row < r.rows; ++row, out += r.cols)
    apply(Elementwise::multiply, out, r.parameter, static_cast<std::size_t>(r.cols), out);
}

/// Computes rows. Returns false, and does nothing, if the operation is none of these.
template <class Scalar>
bool compute_rows(Op op, const OpRows<Scalar>& r) {
  const auto limit = static_cast<Scalar>(r.architecture.foreign.gate_limit);
  switch (op) {
    case Op::norm:
    case Op::head_norm:
      compute_norm(r);
      return true;
    case Op::limited_gate:
      std::transform(r.x, r.x + r.size(), r.out, [limit](Scalar x) {
        constexpr Scalar steepness{1.702F};
        const Scalar g = std::min(x, limit);
        return g / (Scalar{1} + std::exp(-steepness * g));
      });
      return true;
    case Op::limited_shift:
      std::transform(r.x, r.x + r.size(), r.out,
                     [limit](Scalar x) { return std::clamp(x, -limit, limit) + Scalar{1}; });
      return true;
    default:
      const auto function = function_of(op, r.architecture.activation);
      if (function) apply(*function, r.x, r.other, r.size(), r.out);
      return function.has_value();
  }
}

/// The backward pass of the operations that the trainer has.
template <class Scalar>
void compute_gradients(Op op, const OpRows<Scalar>& r, const OpGradients<Scalar>& d) {
  switch (op) {
    case Op::norm:
    case Op::head_norm:
      return norm_rows_backward(r.x, r.moments, r.n_parts(), r.n_parameters, r.parameter, d.d_out, d.d_x,
                                d.d_parameter, d.d_bias);
    case Op::multiply:
      return apply(Elementwise::multiply, d.d_out, d.of_first ? r.other : r.x, r.size(), d.d_x);
    default:
      if (const auto function = function_of(op, r.architecture.activation))
        apply(backward_of(*function), derives_from_result(*function) ? r.out : r.x, d.d_out, r.size(), d.d_x);
  }
}

}  // namespace headscope
