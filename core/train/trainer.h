#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/tensor/parallel.h"
#include "core/train/adam.h"
#include "core/train/network.h"

namespace headscope {

struct TrainOptions {
  int batch_size = 64;  ///< sentences a step
  AdamOptions adam;
  float dropout = 0.0F;    ///< share of attention weights removed in training
  std::uint64_t seed = 0;  ///< of the sentences drawn; the weights' own is the architecture's
  bool operator==(const TrainOptions&) const = default;
};

/// What one step found, before it changed the weights.
struct StepReport {
  Score score;
  double gradient_norm = 0.0;
  /// The loss became NaN, or stayed at twice its initial value for a while: the weights are again those of
  /// the last good snapshot, and no later step changes them.
  bool diverged = false;
};

/// Approximate memory of a Trainer, in bytes: parameters with their gradients and averages, and what a step
/// keeps of a batch.
double training_bytes(const Task& task, const Architecture& architecture, const TrainOptions& options,
                      int n_threads);

/// Errors: an architecture that is invalid, that does not have the task's stacks, whose layers' outputs do
/// not fit together, or that has no final linear layer.
Result<void> check_trainable(const Task& task, const Architecture& architecture);

/// Trains one model on a task, step by step. The same options, architecture and number of threads give the
/// same bytes.
class Trainer {
 public:
  /// Errors: those of check_trainable(). `pool` must outlive it.
  static Result<std::unique_ptr<Trainer>> make(const Task& task, const Architecture& architecture,
                                               const TrainOptions& options, TaskPool& pool);

  /// Once the flag is set, step() and evaluate() throw TrainingStopped and leave everything as it was.
  void stop_on(const std::atomic<bool>& flag);

  StepReport step();
  /// The number of steps that the current weights have learned from.
  int steps() const { return steps_; }

  /// The score on `n` sentences of a split, always the same ones.
  Score evaluate(Split split, int n);

  /// Takes effect from the next step on.
  void set_options(const TrainOptions& options) { options_ = options; }
  const ParameterLayout& layout() const { return layout_; }

  std::span<const float> parameters() const { return {parameters_.data(), layout_.size}; }
  /// Of the last step.
  std::span<const float> gradients() const { return {gradients_.data(), layout_.size}; }
  Model model() const { return model_of(layout_, parameters()); }

 private:
  Trainer(const Task& task, const Architecture& architecture, const TrainOptions& options, TaskPool& pool);
  StepReport drawn_step();
  Score run(std::span<const Example> examples, bool learns);
  double sum_gradients();
  bool has_diverged(const StepReport& report);
  void keep_snapshot();

  const Task& task_;
  TaskPool& pool_;
  TrainOptions options_;
  ParameterLayout layout_;
  Numbers<float> parameters_, gradients_;
  std::vector<std::unique_ptr<Network<float>>> networks_;  ///< one for each thread
  std::vector<Numbers<float>> network_gradients_;
  Adam adam_;
  RandomStream random_;
  int steps_ = 0;
  std::optional<double> first_loss_;
  double smoothed_loss_ = 0.0;
  bool diverged_ = false;
  Numbers<float> good_parameters_;  ///< the last good snapshot
  int good_steps_ = 0;
};

}  // namespace headscope
