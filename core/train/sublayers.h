#pragma once

#include "core/tensor/layer_norm.h"
#include "core/train/attention.h"
#include "core/train/products.h"

namespace headscope {

class ScoreGradients;

/// A model's parameters, their gradients, and what all parts of a pass share.
template <class Scalar>
struct TrainContext {
  const Architecture& architecture;
  const Scalar* parameters = nullptr;
  Scalar* gradients = nullptr;
  Products<Scalar> products;
  ScoreGradients* reached = nullptr;  ///< what the loss's gradient is of the heads' scores; null: nobody asks
};

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

/// The parts around a sublayer: a norm before or after it, and the residual connection.
template <class Scalar>
class Surroundings {
 public:
  /// The sublayer's input: x, normalised if the norm comes first.
  const Rows<Scalar>& enter(TrainContext<Scalar>& context, const NormSlot& norm, const Rows<Scalar>& x);
  /// The result: the sublayer's output y, added to x and normalised as the architecture says.
  const Rows<Scalar>& leave(TrainContext<Scalar>& context, const NormSlot& norm, const Rows<Scalar>& x,
                            const Rows<Scalar>& y);
  /// From d, the gradient by what left: the one by y, which is d itself or is put into `scratch`.
  const Rows<Scalar>& leave_backward(TrainContext<Scalar>& context, const NormSlot& norm,
                                     const Rows<Scalar>& d, Rows<Scalar>& scratch) const;
  /// From the gradients by y and by what entered: the one by x. d_x may be d_y.
  void enter_backward(TrainContext<Scalar>& context, const NormSlot& norm, const Rows<Scalar>& x,
                      const Rows<Scalar>& d_y, const Rows<Scalar>& d_entered, Rows<Scalar>& d_x) const;
  /// The part of it that goes through the norm before the sublayer: added to d_x. Not where there is none.
  void add_through_norm(TrainContext<Scalar>& context, const NormSlot& norm, const Rows<Scalar>& x,
                        const Rows<Scalar>& d_entered, Rows<Scalar>& d_x) const {
    norm_.backward(context, norm, x, d_entered, d_x);
  }

 private:
  Rows<Scalar> normed_input_, sum_, normed_output_;
  NormLayer<Scalar> norm_;
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
  /// The products, normalised where there is a gain (not negative).
  static void project(TrainContext<Scalar>& context, const Rows<Scalar>& in, const LinearSlot& slot,
                      std::ptrdiff_t gain, HeadNorm& norm, Rows<Scalar>& out);
  /// From the gradient by what is normalised, the one by what was; in place.
  static void normalised_backward(TrainContext<Scalar>& context, std::ptrdiff_t gain, HeadNorm& norm,
                                  Rows<Scalar>& d);

  HeadState<Scalar> heads_;
  HeadNorm query_norm_, key_norm_;
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
