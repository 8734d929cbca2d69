#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/train/trainer.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/train/adam.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace headscope::HWY_NAMESPACE {
namespace {

/// `size` is the learning rate, including the bias correction of the mean, `root` the bias correction of the
/// root of the square, and `decay_factor` 1 − weight decay.
void adam_step(float size, float root, float decay_factor, std::size_t n, const float* gradients, float* mean,
               float* square, float* parameters) {
  constexpr float beta_1 = 0.9F;
  constexpr float beta_2 = 0.999F;
  constexpr float epsilon = 1e-8F;
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    const float g = gradients[i];
    mean[i] = beta_1 * mean[i] + (1.0F - beta_1) * g;
    square[i] = beta_2 * square[i] + (1.0F - beta_2) * g * g;
    parameters[i] = parameters[i] * decay_factor - size * mean[i] / (std::sqrt(square[i]) * root + epsilon);
  }
}

}  // namespace
}  // namespace headscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {
namespace {

HWY_EXPORT(adam_step);

}  // namespace

Adam::Adam(std::size_t n_parameters, std::vector<Range> vectors)
    : mean_(n_parameters, 0.0F), square_(n_parameters, 0.0F), vectors_(std::move(vectors)) {}

void Adam::restore(int steps, std::span<const float> mean, std::span<const float> square) {
  steps_ = steps;
  mean_.assign(mean.begin(), mean.end());
  square_.assign(square.begin(), square.end());
}

void Adam::step(const AdamOptions& options, const float* gradients, float* parameters) {
  const float rate = learning_rate_at(options, steps_);
  ++steps_;
  const auto correction_1 = static_cast<float>(1.0 - std::pow(0.9, steps_));
  const auto correction_2 = static_cast<float>(1.0 - std::pow(0.999, steps_));
  const auto update = [&](std::size_t first, std::size_t last, bool decays) {
    HWY_DYNAMIC_DISPATCH(adam_step)
    (rate / correction_1, 1.0F / std::sqrt(correction_2), decays ? 1.0F - rate * options.weight_decay : 1.0F,
     last - first, gradients + first, mean_.data() + first, square_.data() + first, parameters + first);
  };
  std::size_t done = 0;
  if (options.decays_matrices_only) {
    for (const auto& [first, last] : vectors_) {
      update(done, first, true);
      update(first, last, false);
      done = last;
    }
  }
  update(done, mean_.size(), true);
}

float learning_rate_at(const AdamOptions& options, int step) {
  if (step < options.warm_up) {
    return options.learning_rate * static_cast<float>(step + 1) / static_cast<float>(options.warm_up);
  }
  if (options.decay_steps <= options.warm_up) return options.learning_rate;
  constexpr float final_fraction = 0.05F;
  const float left = static_cast<float>(options.decay_steps - step) /
                     static_cast<float>(options.decay_steps - options.warm_up);
  if (!options.cosine_decay) return options.learning_rate * std::max(left, final_fraction);
  const float fallen = 1.0F - std::max(left, 0.0F);
  const float share = 0.5F * (1.0F + std::cos(std::numbers::pi_v<float> * fallen));
  return options.learning_rate * (final_fraction + (1.0F - final_fraction) * share);
}

}  // namespace headscope
#endif
