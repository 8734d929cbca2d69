#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/model/architecture.h"
#include "core/slices.h"
#include "core/tasks/task.h"
#include "core/tensor/parallel.h"
#include "core/train/network.h"
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

struct TrainOptions {
  int batch_size = 64;  ///< Sentences in each step.
  AdamOptions adam;
  /// The maximum gradient norm for clipping. 0 means no clipping.
  float max_gradient_norm = 0.0F;
  float dropout = 0.0F;    ///< The dropout probability of attention weights
  std::uint64_t seed = 0;  ///< Seed of the examples; weights use the architecture's seed
  bool operator==(const TrainOptions&) const = default;
};

/// The default architecture and training settings of a task.
struct TrainingRecipe {
  Architecture architecture;
  TrainOptions options;
  int steps = 0;
  int quick_steps = 0;  ///< Enough to see the effect of a change of the architecture
};
TrainingRecipe training_recipe(TaskKind task);

/// The result of one step, before the update.
struct StepReport {
  Score score;
  double gradient_norm = 0.0;
  /// Whether training has diverged: the loss became NaN or stayed at twice its initial value. The weights are
  /// then those of the last good snapshot, and further steps have no effect.
  bool diverged = false;
};

/// Estimates the memory of a Trainer in bytes: parameters, gradients, moving averages and activations.
double training_bytes(const ExampleSource& source, const Architecture& architecture,
                      const TrainOptions& options, int n_threads);

/// Fails if an architecture cannot be trained: it is invalid, has inconsistent layer widths, or has no
/// unembedding.
Result<void> check_trainable(const Architecture& architecture);
/// The same for what it learns from; also fails if that is a task with other stacks.
Result<void> check_trainable(const ExampleSource& source, const Architecture& architecture);

/// The state of a Trainer that later steps depend on, apart from its options.
struct TrainerState {
  int steps = 0;
  std::vector<float> parameters;
  std::vector<float> mean, square;  ///< Adam's moving averages
  RandomStream random{0};           ///< The stream of examples
  std::optional<double> first_loss;
  double smoothed_loss = 0.0;
};

/// Trains one model step by step. Bit-reproducible for the same options, architecture and number of threads.
class Trainer {
 public:
  /// Errors: those of check_trainable(). `source` and `pool` must outlive the trainer.
  static Result<std::unique_ptr<Trainer>> make(const ExampleSource& source, const Architecture& architecture,
                                               const TrainOptions& options, ThreadPool& pool);

  /// Once the flag is set, steps and evaluations throw TrainingStopped, leaving the trainer unchanged.
  void set_stop_flag(const std::atomic<bool>& flag);

  StepReport step() { return step_slices().finish(); }
  /// A step in slices, of about 200 rows each with one thread. Cancelling it leaves the trainer unchanged.
  /// The trainer must not be modified meanwhile.
  Slices<StepReport> step_slices();
  /// The number of steps that the current weights have been trained for.
  int steps() const { return steps_; }

  /// The score on the first `n` sentences of a split, always the same.
  Score evaluate(Split split, int n) { return evaluation_slices(split, n).finish(); }
  Slices<Score> evaluation_slices(Split split, int n);
  /// The score on these examples; its loss is not their mean.
  Score evaluate(std::span<const Example> examples) { return evaluation_slices(examples).finish(); }

  /// Sets the options for the following steps.
  void set_options(const TrainOptions& options) { options_ = options; }
  const ParameterLayout& layout() const { return layout_; }

  std::span<const float> parameters() const { return {parameters_.data(), layout_.size}; }
  /// The gradients of the last step.
  std::span<const float> gradients() const { return {gradients_.data(), layout_.size}; }
  Model model() const { return model_of(layout_, parameters()); }

  /// Sets the initial weights, in the order of the layout.
  void set_parameters(std::span<const float> parameters);
  TrainerState state() const;
  /// Resumes from the state of a trainer with the same layout, bit-identically.
  void restore(TrainerState state);

 private:
  Trainer(const ExampleSource& source, const Architecture& architecture, const TrainOptions& options,
          ThreadPool& pool);
  Slices<Score> run(std::span<const Example> examples, bool learns);
  Slices<Score> evaluation_slices(std::span<const Example> examples);
  double sum_gradients();
  bool has_diverged(const StepReport& report);
  void keep_snapshot();

  const ExampleSource& source_;
  ThreadPool& pool_;
  TrainOptions options_;
  ParameterLayout layout_;
  AlignedVector<float> parameters_, gradients_;
  std::vector<std::unique_ptr<Network<float>>> networks_;  ///< One for each thread.
  std::vector<AlignedVector<float>> network_gradients_;
  Adam adam_;
  RandomStream random_;
  int steps_ = 0;
  std::optional<double> first_loss_;
  double smoothed_loss_ = 0.0;
  bool diverged_ = false;
  AlignedVector<float> good_parameters_;  ///< The last good snapshot.
  int good_steps_ = 0;
};

}  // namespace headscope
