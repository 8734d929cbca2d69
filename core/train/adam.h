#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "core/train/rows.h"

namespace headscope {

struct AdamOptions {
  float learning_rate = 2e-3F;
  int warm_up = 50;  ///< The steps over which the learning rate rises linearly from 0.
  /// The step at which the learning rate has fallen to a twentieth. If 0, it does not fall.
  int decay_steps = 0;
  /// Whether it falls along half a cosine (Loshchilov and Hutter 2017) instead of linearly.
  bool cosine_decay = false;
  /// Decoupled weight decay. Each step subtracts learning rate · decay times the number from every number.
  float weight_decay = 0.0F;
  /// Whether only matrices decay, and norms, biases and sinks do not.
  bool decays_matrices_only = false;
  bool operator==(const AdamOptions&) const = default;
};

/// The factors that all parameters share in one step.
struct AdamStep {
  float size;  ///< The learning rate, including the bias correction of the mean.
  float root;  ///< The bias correction of the square's root.
  float kept;  ///< The share of a number that weight decay leaves.
};

/// The Adam optimiser with β₁ = 0.9, β₂ = 0.999, ε = 1e-8 and bias correction (Kingma and Ba 2015, algorithm
/// 1), and with the weight decay of Loshchilov and Hutter 2019.
class Adam {
 public:
  /// A range of parameters, from the first to before the last.
  using Range = std::pair<std::size_t, std::size_t>;

  /// `vectors` are the sorted ranges of parameters that belong to no matrix.
  explicit Adam(std::size_t n_parameters, std::vector<Range> vectors = {});

  /// Takes one step down the gradient.
  void step(const AdamOptions& options, const float* gradients, float* parameters);
  int steps() const { return steps_; }
  const Numbers<float>& mean() const { return mean_; }
  const Numbers<float>& square() const { return square_; }
  /// Continues after this many steps with these averages.
  void restore(int steps, std::span<const float> mean, std::span<const float> square);

 private:
  Numbers<float> mean_, square_;
  std::vector<Range> vectors_;
  int steps_ = 0;
};

/// Returns the learning rate of a step; steps count from 0.
float learning_rate_at(const AdamOptions& options, int step);

}  // namespace headscope
