#pragma once

#include <vector>

#include "core/model/parameters.h"
#include "core/train/context.h"

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

}  // namespace headscope
