#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "core/train/rows.h"

namespace headscope {

struct AdamOptions {
  float learning_rate = 2e-3F;
  int warm_up = 50;  ///< Warm-up steps, over which the learning rate rises linearly from 0
  /// The step at which the learning rate has decayed to 5 %. 0 means no decay.
  int decay_steps = 0;
  /// Whether the decay is a half cosine (Loshchilov and Hutter 2017) instead of linear.
  bool cosine_decay = false;
  /// Decoupled weight decay: each step multiplies parameters by 1 − learning rate · decay.
  float weight_decay = 0.0F;
  /// Whether only matrices decay, but not norms, biases and sinks.
  bool decays_matrices_only = false;
  bool operator==(const AdamOptions&) const = default;
};

/// The factors of one step, shared by all parameters.
struct AdamStep {
  float size;          ///< Learning rate, including the bias correction of the mean
  float root;          ///< Bias correction of the root of the square
  float decay_factor;  ///< 1 − weight decay
};

/// The Adam optimiser with β₁ = 0.9, β₂ = 0.999, ε = 1e-8 and bias correction (Kingma and Ba 2015, algorithm
/// 1), and with the weight decay of Loshchilov and Hutter 2019.
class Adam {
 public:
  /// A range [first, last) of parameters.
  using Range = std::pair<std::size_t, std::size_t>;

  /// `vectors` are the sorted ranges of parameters that are not in matrices.
  explicit Adam(std::size_t n_parameters, std::vector<Range> vectors = {});

  /// Takes one optimisation step.
  void step(const AdamOptions& options, const float* gradients, float* parameters);
  int steps() const { return steps_; }
  const AlignedVector<float>& mean() const { return mean_; }
  const AlignedVector<float>& square() const { return square_; }
  /// Resumes after `steps` steps with these moving averages.
  void restore(int steps, std::span<const float> mean, std::span<const float> square);

 private:
  AlignedVector<float> mean_, square_;
  std::vector<Range> vectors_;
  int steps_ = 0;
};

/// The learning rate of a step; steps count from 0.
float learning_rate_at(const AdamOptions& options, int step);

}  // namespace headscope
