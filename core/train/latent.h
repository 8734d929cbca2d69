#pragma once

#include <vector>

#include "core/model/parameters.h"
#include "core/train/context.h"

namespace headscope {

/// Keys and values of an attention from a latent row, as core/model/latent.h has them.
template <class Scalar>
class LatentLayer {
 public:
  /// Fills keys [M, Hₖ·K] and values [M, Hₖ·V] from `asked` [M, D].
  void forward(TrainContext<Scalar>& context, const AttentionSlots& slots, const Rows<Scalar>& asked,
               Rows<Scalar>& keys, Rows<Scalar>& values);
  /// From the gradients by these, those by the parameters; the one by `asked` is added to d_asked.
  void backward(TrainContext<Scalar>& context, const AttentionSlots& slots, const Rows<Scalar>& asked,
                const Rows<Scalar>& d_keys, const Rows<Scalar>& d_values, Rows<Scalar>& d_asked);

 private:
  /// The gradient by the shared key, which the heads' gradients add up to, and those by their own.
  void split(const AttentionSlots& slots, const Rows<Scalar>& d_keys);

  std::vector<Scalar> inverses_;
  Rows<Scalar> latent_, normed_, shared_, own_;
  Rows<Scalar> d_latent_, d_normed_, d_shared_, d_own_;
};

}  // namespace headscope
