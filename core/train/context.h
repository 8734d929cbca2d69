#pragma once

#include "core/train/products.h"

namespace headscope {

class ScoreGradients;

/// A model's parameters, their gradients, and the state that all parts of a pass share.
template <class Scalar>
struct TrainContext {
  const Architecture& architecture;
  const Scalar* parameters = nullptr;
  Scalar* gradients = nullptr;
  Products<Scalar> products;
  /// Collects the gradient that reaches the heads' scores. Null if it is not wanted.
  ScoreGradients* reached = nullptr;
};

}  // namespace headscope
