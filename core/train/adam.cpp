#include "core/train/adam.h"

#include <algorithm>
#include <cmath>

namespace headscope {

Adam::Adam(std::size_t n_parameters) : mean_(n_parameters, 0.0F), square_(n_parameters, 0.0F) {}

void Adam::step(const AdamOptions& options, const float* gradients, float* parameters) {
  constexpr float beta_1 = 0.9F;
  constexpr float beta_2 = 0.999F;
  constexpr float epsilon = 1e-8F;
  const float rate = learning_rate_at(options, steps_);
  ++steps_;
  const auto correction_1 = static_cast<float>(1.0 - std::pow(0.9, steps_));
  const auto correction_2 = static_cast<float>(1.0 - std::pow(0.999, steps_));
  const float size = rate / correction_1;
  const float root = 1.0F / std::sqrt(correction_2);
  const float kept = 1.0F - rate * options.weight_decay;
  float* mean = mean_.data();
  float* square = square_.data();
  const std::size_t n = mean_.size();
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    const float g = gradients[i];
    mean[i] = beta_1 * mean[i] + (1.0F - beta_1) * g;
    square[i] = beta_2 * square[i] + (1.0F - beta_2) * g * g;
    parameters[i] = parameters[i] * kept - size * mean[i] / (std::sqrt(square[i]) * root + epsilon);
  }
}

float learning_rate_at(const AdamOptions& options, int step) {
  if (step < options.warm_up) {
    return options.learning_rate * static_cast<float>(step + 1) / static_cast<float>(options.warm_up);
  }
  if (options.decay_steps <= options.warm_up) return options.learning_rate;
  constexpr float least = 0.05F;
  const float left = static_cast<float>(options.decay_steps - step) /
                     static_cast<float>(options.decay_steps - options.warm_up);
  return options.learning_rate * std::max(left, least);
}

}  // namespace headscope
