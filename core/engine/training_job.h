#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <variant>
#include <vector>

#include "core/engine/training_worker.h"
#include "core/train/trainer.h"

namespace headscope {

/// A training curve of limited length. If it has many points, each is the mean of several steps.
class TrainingCurve {
 public:
  void add(const TrainingPoint& point);
  const std::vector<TrainingPoint>& points() const { return points_; }

 private:
  static constexpr std::size_t max_points = 2000;
  std::vector<TrainingPoint> points_;
  int steps_per_point_ = 1;
  int n_in_last_point_ = 0;  ///< The number of steps that the last point averages.
};

/// Calls Trainer::make() if the machine has enough memory for it in addition to `bytes_beside`. Otherwise,
/// returns an error that names both numbers.
Result<std::unique_ptr<Trainer>> make_trainer(const ExampleSource& source, const Architecture& architecture,
                                              const TrainOptions& options, ThreadPool& pool,
                                              double bytes_beside);

/// One training run: a trainer with its curves and snapshots. Only one thread and those of the pool may use
/// it.
class TrainingJob {
 public:
  /// Errors are those of Trainer::make(), and a run that needs more memory than the machine has in addition
  /// to `bytes_beside`. `pool` and `stop` must outlive the job.
  static Result<std::unique_ptr<TrainingJob>> make(const TrainingRun& run, const TrainingSettings& settings,
                                                   ThreadPool& pool, const std::atomic<bool>& stop,
                                                   double bytes_beside);

  void set_settings(const TrainingSettings& settings);
  bool is_done() const { return diverged_ || (!is_evaluation_due_ && trainer_->steps() >= settings_.steps); }
  /// An approximate upper bound for the memory.
  double bytes() const { return bytes_; }
  bool has_diverged() const { return diverged_; }
  /// Runs a slice of a step. Returns whether the step has more. Throws TrainingStopped once `stop` is set.
  bool slice();
  bool is_in_step() const { return step_.has_value(); }
  /// Rolls back to the state before the step. A skipped evaluation is done in the next one.
  void abandon_step() { step_.reset(); }
  double total_seconds() const;
  const TrainingRun& run() const { return run_; }
  int steps() const { return trainer_->steps(); }
  std::shared_ptr<const TrainingProgress> progress(TrainingState state) const;

 private:
  TrainingJob(const TrainingRun& run, const TrainingSettings& settings,
              std::shared_ptr<const TextExamples> text, std::unique_ptr<Trainer> trainer, double bytes);
  Slices<std::monostate> step_slices();
  Slices<WrittenSample> sample_slices() const;
  std::shared_ptr<const TrainedModel> snapshot() const;

  std::optional<Score> last_score_;  ///< The score of the last step's batch.
  TrainingRun run_;
  TrainingSettings settings_;
  std::shared_ptr<const TextExamples> text_;  ///< Null if the run learns a task.
  std::unique_ptr<Trainer> trainer_;
  std::shared_ptr<const ParameterLayout> layout_;
  double bytes_;
  TrainingCurve train_;
  std::vector<TrainingPoint> held_out_;
  std::vector<WrittenSample> samples_;
  SnapshotHistory kept_;
  double seconds_ = 0.0;
  double first_step_seconds_ = 0.0;
  bool diverged_ = false;
  bool is_evaluation_due_ = false;
  bool settings_changed_ = false;
  std::optional<Slices<std::monostate>> step_;  ///< The step that is not finished.
};

}  // namespace headscope
