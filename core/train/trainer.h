#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/slices.h"
#include "core/tensor/parallel.h"
#include "core/train/adam.h"
#include "core/train/network.h"

namespace headscope {

struct TrainOptions {
  int batch_size = 64;  ///< Sentences in each step.
  AdamOptions adam;
  /// If the norm of the gradient is above this, the gradient is scaled down to it. 0 if there is no limit.
  float max_gradient_norm = 0.0F;
  float dropout = 0.0F;    ///< The share of attention weights that is removed in training.
  std::uint64_t seed = 0;  ///< The seed of the drawn sentences. The weights have the architecture's seed.
  bool operator==(const TrainOptions&) const = default;
};

/// The result of one step before it changed the weights.
struct StepReport {
  Score score;
  double gradient_norm = 0.0;
  /// True if the loss became NaN or stayed at twice its initial value for a while. The weights are then those
  /// of the last good snapshot, and later steps do not change them.
  bool diverged = false;
};

/// Estimates the memory of a Trainer in bytes: the parameters with their gradients and averages, and the
/// numbers that a step keeps of a batch.
double training_bytes(const ExampleSource& source, const Architecture& architecture,
                      const TrainOptions& options, int n_threads);

/// Checks that an architecture can be trained. Errors: it is invalid, has layers whose outputs do not fit
/// together, or has no final linear layer.
Result<void> check_trainable(const Architecture& architecture);
/// Checks that it can be trained on a task. Errors: also that it does not have the task's stacks.
Result<void> check_trainable(const Task& task, const Architecture& architecture);

/// Everything that the following steps of a Trainer depend on, apart from its options.
struct TrainerState {
  int steps = 0;
  std::vector<float> parameters;
  std::vector<float> mean, square;  ///< Adam's averages.
  RandomStream random{0};           ///< The stream from which examples are drawn.
  std::optional<double> first_loss;
  double smoothed_loss = 0.0;
};

/// Trains one model, step by step. The same options, architecture and number of threads give identical bytes.
class Trainer {
 public:
  /// Errors: those of check_trainable(). `source` and `pool` must outlive the trainer.
  static Result<std::unique_ptr<Trainer>> make(const ExampleSource& source, const Architecture& architecture,
                                               const TrainOptions& options, TaskPool& pool);
  static Result<std::unique_ptr<Trainer>> make(const Task& task, const Architecture& architecture,
                                               const TrainOptions& options, TaskPool& pool);

  /// Once the flag is set, steps and evaluations throw TrainingStopped and leave everything as it was.
  void stop_on(const std::atomic<bool>& flag);

  StepReport step() { return step_slices().finish(); }
  /// A step in slices: with one thread, of about 200 rows each. A step that is abandoned leaves everything as
  /// it was. Meanwhile the trainer must not be changed.
  Slices<StepReport> step_slices();
  /// The number of steps from which the current weights have learned.
  int steps() const { return steps_; }

  /// Returns the score on `n` sentences of a split, which are always the same ones.
  Score evaluate(Split split, int n) { return evaluation_slices(split, n).finish(); }
  Slices<Score> evaluation_slices(Split split, int n);
  /// Returns the score on these examples. Its loss is not a mean over all of them.
  Score evaluate(std::span<const Example> examples) { return evaluation_slices(examples).finish(); }

  /// Sets the options for the following steps.
  void set_options(const TrainOptions& options) { options_ = options; }
  const ParameterLayout& layout() const { return layout_; }

  std::span<const float> parameters() const { return {parameters_.data(), layout_.size}; }
  /// The gradients of the last step.
  std::span<const float> gradients() const { return {gradients_.data(), layout_.size}; }
  Model model() const { return model_of(layout_, parameters()); }

  /// Sets the weights with which the first step begins, in the order of the layout.
  void set_parameters(std::span<const float> parameters);
  TrainerState state() const;
  /// Continues from a state of a trainer with the same layout. The steps that follow give the same bytes as
  /// without the interruption.
  void restore(TrainerState state);

 private:
  Trainer(const ExampleSource& source, const Architecture& architecture, const TrainOptions& options,
          TaskPool& pool);
  Slices<Score> run(std::span<const Example> examples, bool learns);
  Slices<Score> evaluation_slices(std::span<const Example> examples);
  double sum_gradients();
  bool has_diverged(const StepReport& report);
  void keep_snapshot();

  const ExampleSource& source_;
  TaskPool& pool_;
  TrainOptions options_;
  ParameterLayout layout_;
  Numbers<float> parameters_, gradients_;
  std::vector<std::unique_ptr<Network<float>>> networks_;  ///< One for each thread.
  std::vector<Numbers<float>> network_gradients_;
  Adam adam_;
  RandomStream random_;
  int steps_ = 0;
  std::optional<double> first_loss_;
  double smoothed_loss_ = 0.0;
  bool diverged_ = false;
  Numbers<float> good_parameters_;  ///< The last good snapshot.
  int good_steps_ = 0;
};

}  // namespace headscope
