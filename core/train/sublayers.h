#pragma once

#include <vector>

#include "core/model/parameters.h"
#include "core/tensor/layer_norm.h"
#include "core/train/attention.h"
#include "core/train/products.h"

namespace headscope {

/// Computes the keys and values of an attention from a latent row for each token. See core/model/attention.h.
template <class Scalar>
class LatentLayer {
 public:
  /// Fills keys [M, Hₖ·K] and values [M, Hₖ·V] from `asked` [M, D].
  void forward(TrainContext<Scalar>& context, const AttentionSlots& slots, const Rows<Scalar>& asked,
               Rows<Scalar>& keys, Rows<Scalar>& values);
  /// Computes the gradients with respect to the parameters from those with respect to keys and values. Adds
  /// the gradient with respect to `asked` to d_asked.
  void backward(TrainContext<Scalar>& context, const AttentionSlots& slots, const Rows<Scalar>& asked,
                const Rows<Scalar>& d_keys, const Rows<Scalar>& d_values, Rows<Scalar>& d_asked);

 private:
  /// Splits d_keys into the gradient with respect to the shared key, to which all heads contribute, and those
  /// with respect to each head's own dimensions.
  void split(const AttentionSlots& slots, const Rows<Scalar>& d_keys);

  std::vector<Scalar> inverses_;
  Rows<Scalar> latent_, normed_, shared_, own_;
  Rows<Scalar> d_latent_, d_normed_, d_shared_, d_own_;
};

/// Turns words into rows: the row of the table, times √D if the architecture says so, plus the row of the
/// position.
template <class Scalar>
class EmbeddingSublayer {
 public:
  /// `layout` must outlive this object.
  explicit EmbeddingSublayer(const ParameterLayout& layout) : layout_(layout) {}

  void forward(const TrainContext<Scalar>& context, const Sequences& sequences, Rows<Scalar>& out);
  /// Adds the gradients with respect to the table and to learned positions.
  void backward(const TrainContext<Scalar>& context, const Sequences& sequences, const Rows<Scalar>& d_out);

 private:
  const Scalar* position_row(const TrainContext<Scalar>& context, int position) const;
  void prepare_waves(const Sequences& sequences);

  const ParameterLayout& layout_;
  Rows<Scalar> waves_;  ///< The rows of sinusoidal or split positions.
};

/// A norm and the properties of its rows that its derivative needs.
template <class Scalar>
class NormLayer {
 public:
  /// Sets out to the normalised x. `out` must not be x.
  void forward(const TrainContext<Scalar>& context, const NormSlot& norm, const Rows<Scalar>& x,
               Rows<Scalar>& out);
  /// Adds the gradient with respect to x to d_x, where x is that of the last forward().
  void backward(const TrainContext<Scalar>& context, const NormSlot& norm, const Rows<Scalar>& x,
                const Rows<Scalar>& d_out, Rows<Scalar>& d_x) const;

 private:
  std::vector<RowMoments<Scalar>> moments_;  ///< The moments of the rows for layer norm.
  std::vector<Scalar> inverses_;             ///< The inverses of the rows for RMS norm.
};

/// The norms of a sublayer: one before it or after the sum, and one of its output.
struct SublayerNormSlots {
  const NormSlot& norm;
  const NormSlot& of_output;
};

/// The parts around a sublayer: the norms before and after it, and the residual connection.
template <class Scalar>
class Surroundings {
 public:
  /// Returns the sublayer's input, which is x, normalised if the norm comes first.
  const Rows<Scalar>& enter(TrainContext<Scalar>& context, const NormSlot& norm, const Rows<Scalar>& x);
  /// Returns the result, which is the sublayer's output y, added to x and normalised as the architecture
  /// says.
  const Rows<Scalar>& leave(TrainContext<Scalar>& context, const SublayerNormSlots& norms,
                            const Rows<Scalar>& x, const Rows<Scalar>& y);
  /// Returns the gradient with respect to y for the gradient d with respect to the result of leave(). It is d
  /// itself or stored in `scratch`.
  const Rows<Scalar>& leave_backward(TrainContext<Scalar>& context, const SublayerNormSlots& norms,
                                     const Rows<Scalar>& d, Rows<Scalar>& scratch) const;
  /// Computes the gradient with respect to x from those with respect to the sum and to what enter() returned.
  /// d_x may be d_sum.
  void enter_backward(TrainContext<Scalar>& context, const NormSlot& norm, const Rows<Scalar>& x,
                      const Rows<Scalar>& d_sum, const Rows<Scalar>& d_entered, Rows<Scalar>& d_x) const;
  /// Adds the part of that gradient that passes through the norm before the sublayer to d_x. Must not be
  /// called if there is no such norm.
  void add_through_norm(TrainContext<Scalar>& context, const NormSlot& norm, const Rows<Scalar>& x,
                        const Rows<Scalar>& d_entered, Rows<Scalar>& d_x) const {
    norm_.backward(context, norm, x, d_entered, d_x);
  }

 private:
  Rows<Scalar> normed_input_, output_, normed_output_, sum_, normed_sum_;
  NormLayer<Scalar> norm_, output_norm_;
};

/// Multi-head attention with its projections.
template <class Scalar>
class AttentionSublayer {
 public:
  const Rows<Scalar>& forward(TrainContext<Scalar>& context, const AttentionSlots& slots,
                              const HeadPlan& plan, const Sequences& queries, const Sequences& keys,
                              std::ptrdiff_t relative, const Rows<Scalar>& asks, const Rows<Scalar>& asked);
  /// Adds the cross-entropy of the taught head's weights in the last forward() to the score.
  void add_looks(const HeadPlan& plan, Score& score) const { headscope::add_looks(plan, heads_, score); }
  /// Sets d_asks to the gradient with respect to `asks` and adds the one with respect to `asked` to d_asked,
  /// which may be d_asks.
  void backward(TrainContext<Scalar>& context, const AttentionSlots& slots, const HeadPlan& plan,
                const Sequences& queries, const Sequences& keys, std::ptrdiff_t relative,
                const Rows<Scalar>& asks, const Rows<Scalar>& asked, const Rows<Scalar>& d_out,
                Rows<Scalar>& d_asks, Rows<Scalar>& d_asked);

 private:
  /// The queries or keys of all heads before their norm, with one row for each head.
  struct HeadNorm {
    Rows<Scalar> before, d_before;
    std::vector<Scalar> inverses;
  };
  /// Returns where to put queries or keys: into the norm's input if there is a norm (its gain is not
  /// negative), else into `out`.
  static Rows<Scalar>& before_norm(std::ptrdiff_t gain, HeadNorm& norm, Rows<Scalar>& out) {
    return gain < 0 ? out : norm.before;
  }
  /// Normalises the norm's input into `out` if there is a norm.
  static void normalise(TrainContext<Scalar>& context, std::ptrdiff_t gain, HeadNorm& norm,
                        Rows<Scalar>& out);
  /// Turns the gradient with respect to the normalised rows, in place, into that with respect to the norm's
  /// input.
  static void normalised_backward(TrainContext<Scalar>& context, std::ptrdiff_t gain, HeadNorm& norm,
                                  Rows<Scalar>& d);

  HeadState<Scalar> heads_;
  HeadNorm query_norm_, key_norm_;
  LatentLayer<Scalar> latent_;
  Rows<Scalar> gate_, gated_, d_gate_, d_ungated_;
  Rows<Scalar> projected_, d_concat_, d_query_, d_key_, d_value_;
};

/// W_2 activation(W_1 x + b_1) + b_2, or with a gate W_2 (activation(W_1 x + b_1) · (W_up x + b_up)) + b_2.
template <class Scalar>
class FeedForwardSublayer {
 public:
  const Rows<Scalar>& forward(TrainContext<Scalar>& context, const LayerSlots& slots, const Rows<Scalar>& x);
  /// Sets d_x to the gradient with respect to x.
  void backward(TrainContext<Scalar>& context, const LayerSlots& slots, const Rows<Scalar>& x,
                const Rows<Scalar>& d_out, Rows<Scalar>& d_x);

 private:
  Rows<Scalar> hidden_, activated_, up_, gated_, output_, d_hidden_, d_up_;
};

}  // namespace headscope
