#pragma once

#include "core/tensor/layer_norm.h"
#include "core/train/attention.h"
#include "core/train/context.h"
#include "core/train/latent.h"

namespace headscope {

/// A norm with what its derivative needs of the rows that it normalised.
template <class Scalar>
class NormLayer {
 public:
  /// out = x, normalised; `out` is not x.
  void forward(const TrainContext<Scalar>& context, const NormSlot& norm, const Rows<Scalar>& x,
               Rows<Scalar>& out);
  /// From d_out at the x of the last forward(): the gradient by x is added to d_x.
  void backward(const TrainContext<Scalar>& context, const NormSlot& norm, const Rows<Scalar>& x,
                const Rows<Scalar>& d_out, Rows<Scalar>& d_x) const;

 private:
  std::vector<RowMoments<Scalar>> moments_;  ///< of layer norm
  std::vector<Scalar> inverses_;             ///< of RMS norm
};

/// A sublayer's norms: before it or after the sum, and of its output.
struct SublayerNormSlots {
  const NormSlot& norm;
  const NormSlot& of_output;
};

/// The parts around a sublayer: norms before and after it, and the residual connection.
template <class Scalar>
class Surroundings {
 public:
  /// The sublayer's input: x, normalised if the norm comes first.
  const Rows<Scalar>& enter(TrainContext<Scalar>& context, const NormSlot& norm, const Rows<Scalar>& x);
  /// The result: the sublayer's output y, added to x and normalised as the architecture says.
  const Rows<Scalar>& leave(TrainContext<Scalar>& context, const SublayerNormSlots& norms,
                            const Rows<Scalar>& x, const Rows<Scalar>& y);
  /// From d, the gradient by what left: the one by y, which is d itself or is put into `scratch`.
  const Rows<Scalar>& leave_backward(TrainContext<Scalar>& context, const SublayerNormSlots& norms,
                                     const Rows<Scalar>& d, Rows<Scalar>& scratch) const;
  /// From the gradients by the sum and by what entered: the one by x. d_x may be d_sum.
  void enter_backward(TrainContext<Scalar>& context, const NormSlot& norm, const Rows<Scalar>& x,
                      const Rows<Scalar>& d_sum, const Rows<Scalar>& d_entered, Rows<Scalar>& d_x) const;
  /// The part of it that goes through the norm before the sublayer: added to d_x. Not where there is none.
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
  /// Adds what the taught head's looks of the last forward() cost.
  void add_looks(const HeadPlan& plan, Score& score) const { headscope::add_looks(plan, heads_, score); }
  /// d_asks becomes the gradient by what asked; the one by what was asked is added to d_asked, which may be
  /// d_asks.
  void backward(TrainContext<Scalar>& context, const AttentionSlots& slots, const HeadPlan& plan,
                const Sequences& queries, const Sequences& keys, std::ptrdiff_t relative,
                const Rows<Scalar>& asks, const Rows<Scalar>& asked, const Rows<Scalar>& d_out,
                Rows<Scalar>& d_asks, Rows<Scalar>& d_asked);

 private:
  /// Queries or keys of all heads before their norm, a row for each head.
  struct HeadNorm {
    Rows<Scalar> before, d_before;
    std::vector<Scalar> inverses;
  };
  /// Where queries or keys go: to what is normalised where there is a gain (not negative), else to `out`.
  static Rows<Scalar>& before_norm(std::ptrdiff_t gain, HeadNorm& norm, Rows<Scalar>& out) {
    return gain < 0 ? out : norm.before;
  }
  /// Normalises them from there to `out` where there is a gain.
  static void normalise(TrainContext<Scalar>& context, std::ptrdiff_t gain, HeadNorm& norm,
                        Rows<Scalar>& out);
  /// From the gradient by what is normalised, the one by what was; in place.
  static void normalised_backward(TrainContext<Scalar>& context, std::ptrdiff_t gain, HeadNorm& norm,
                                  Rows<Scalar>& d);

  HeadState<Scalar> heads_;
  HeadNorm query_norm_, key_norm_;
  LatentLayer<Scalar> latent_;
  Rows<Scalar> gate_, gated_, d_gate_, d_ungated_;
  Rows<Scalar> projected_, d_concat_, d_query_, d_key_, d_value_;
};

/// W_2 activation(W_1 x + b_1) + b_2, or W_2 (activation(W_1 x + b_1) · (W_up x + b_up)) + b_2.
template <class Scalar>
class FeedForwardSublayer {
 public:
  const Rows<Scalar>& forward(TrainContext<Scalar>& context, const LayerSlots& slots, const Rows<Scalar>& x);
  /// d_x becomes the gradient by x.
  void backward(TrainContext<Scalar>& context, const LayerSlots& slots, const Rows<Scalar>& x,
                const Rows<Scalar>& d_out, Rows<Scalar>& d_x);

 private:
  Rows<Scalar> hidden_, activated_, up_, gated_, output_, d_hidden_, d_up_;
};

}  // namespace headscope
