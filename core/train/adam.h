#pragma once

#include <cstddef>

#include "core/train/rows.h"

namespace headscope {

struct AdamOptions {
  float learning_rate = 2e-3F;
  int warm_up = 50;     ///< steps over which the learning rate rises from 0, in a line
  int decay_steps = 0;  ///< step at which it has fallen, in a line, to its twentieth; 0: it does not fall
  float weight_decay = 0.0F;  ///< decoupled: each step takes learning rate · decay of every number
  bool operator==(const AdamOptions&) const = default;
};

/// What all parameters share in one step.
struct AdamStep {
  float size;  ///< the learning rate, the mean's bias corrected
  float root;  ///< corrects the bias of the square's root
  float kept;  ///< the share of a number that weight decay leaves
};

/// Adam with β₁ 0.9, β₂ 0.999, ε 1e-8 and bias correction: Kingma and Ba 2015, algorithm 1; weight decay as
/// in Loshchilov and Hutter 2019.
class Adam {
 public:
  explicit Adam(std::size_t n_parameters);

  /// One step down the gradient.
  void step(const AdamOptions& options, const float* gradients, float* parameters);
  int steps() const { return steps_; }

 private:
  Numbers<float> mean_, square_;
  int steps_ = 0;
};

/// The learning rate of a step, counted from 0.
float learning_rate_at(const AdamOptions& options, int step);

}  // namespace headscope
