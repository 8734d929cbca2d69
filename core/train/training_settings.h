#pragma once

namespace headscope {

/// The user's training settings.
struct TrainingSettings {
  int steps = 600;
  int batch_size = 64;  ///< Sentences in each step.
  float learning_rate = 2e-3F;
  bool operator==(const TrainingSettings&) const = default;
};

/// The limits of TrainingSettings in the window, in files and on the command line.
namespace training_limits {
inline constexpr int max_batch_size = 1024;
inline constexpr int max_steps = 1'000'000;
inline constexpr float min_learning_rate = 1e-6F, max_learning_rate = 10.0F;
}  // namespace training_limits

}  // namespace headscope
