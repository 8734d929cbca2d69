#pragma once

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

}  // namespace headscope
