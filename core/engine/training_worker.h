#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/checkpoint/corpus.h"
#include "core/model/parameters.h"
#include "core/model/trained_model.h"
#include "core/tasks/task.h"
#include "core/train/training_settings.h"

namespace headscope {

/// One training that starts from random weights. Two runs of a worker are equal only if they are the same
/// run. On one machine, runs with the same task or text, architecture (and so seed) and settings find the
/// same weights if the settings never changed on the way.
struct TrainingRun {
  TaskKind task = TaskKind::pronouns;
  Architecture architecture;
  int attempt = 0;  ///< Distinguishes the runs of a process.
  /// The text to train on in place of the task. Null if there is none.
  std::shared_ptr<const Corpus> corpus = {};
  bool operator==(const TrainingRun&) const = default;
};

enum class TrainingState {
  running,
  waiting,  ///< It waits for resume(), because it would take longer than it may without confirmation.
  paused,
  finished,   ///< All steps are done.
  diverged,   ///< The loss grew; the weights are the last good ones.
  refused,    ///< The model cannot be trained; `problem` says why.
  discarded,  ///< The run was to be restored but is no longer kept.
};

/// What one step or one evaluation found.
struct TrainingPoint {
  int step = 0;
  double loss = 0.0;      ///< The mean loss of the task's parts, weighted, in nats.
  double accuracy = 0.0;  ///< From 0 to 1, for the first part of the task. NaN if no row asked for it.
};

/// What a model wrote during its training, always from the same beginning.
struct WrittenSample {
  int step = 0;
  std::string text;  ///< What follows the beginning, Corpus::example.
};

/// The progress of a training run. It is published once and never changed.
struct TrainingProgress {
  TrainingRun run;
  TrainingState state = TrainingState::running;
  std::string problem;  ///< If refused or diverged: what happened and what to do.
  /// The settings of the whole run. Empty if they changed on the way.
  std::optional<TrainingSettings> settings;
  int steps = 0;  ///< The number of steps done.
  int wanted_steps = 0;
  double seconds = 0.0;                 ///< The time spent on steps.
  double seconds_left = 0.0;            ///< The time left at the present pace.
  std::vector<TrainingPoint> train;     ///< One point per step; thinned out if there are many.
  std::vector<TrainingPoint> held_out;  ///< On sentences that are never learned from.
  std::vector<double>
      parts;  ///< Each part's mean cross-entropy in the last batch, in nats. Empty before the first.
  std::vector<WrittenSample> samples;  ///< In ascending order of their steps. Empty unless it is a text.
  std::shared_ptr<const TrainedModel> newest;
  /// The snapshots to look back at, in ascending order from step 0 on. There are at most `most_kept`, evenly
  /// thinned out.
  std::vector<std::shared_ptr<const TrainedModel>> kept;
  std::shared_ptr<const ParameterLayout> layout;
  /// The gradient of the loss at the last step, laid out as `layout` says. Null before the first step.
  std::shared_ptr<const std::vector<float>> gradients;

  static constexpr std::size_t most_kept = 48;
  /// Those that are kept, and the newest. Empty before there are weights.
  std::vector<std::shared_ptr<const TrainedModel>> snapshots() const;
};

/// Trains one model at a time, step by step on a thread of its own (or in slices), and publishes its progress
/// a few times a second. The thread has a lower priority than the window's and leaves one processor to them.
/// The caller waits only in the destructor: for the rest of a layer, or until the weights of a large model
/// are drawn.
class TrainingWorker {
 public:
  /// `on_progress` is called from the worker's thread after each publication and must not throw. If
  /// `n_threads` is 0, the worker uses one thread less than the machine has.
  explicit TrainingWorker(std::function<void()> on_progress, int n_threads = 0);
  ~TrainingWorker();
  TrainingWorker(const TrainingWorker&) = delete;
  TrainingWorker& operator=(const TrainingWorker&) = delete;

  /// How many of the most recently replaced runs are suspended and can be restored.
  static constexpr std::size_t most_suspended = 2;

  /// Starts a run in place of the current one. Starting the same run again does nothing. If the pace of the
  /// first steps shows that it would take longer than `most_seconds`, it waits for resume().
  void start(const TrainingRun& run, const TrainingSettings& settings, double most_seconds);
  /// The same, but the run stays at step 0 and waits for resume() or step().
  void prepare(const TrainingRun& run, const TrainingSettings& settings);
  /// Continues a suspended run where it stopped; it waits for resume() or step(). A run that has done no
  /// step, or that too many others have followed, is `discarded`.
  void restore(const TrainingRun& run, const TrainingSettings& settings);
  /// Applies from the next step on. A finished run continues if it now has more steps to do.
  void set_settings(const TrainingSettings& settings);
  void pause();
  void resume();
  /// Does one step of a paused run.
  void step();
  /// Suspends the run and starts no other.
  void leave();

  /// The progress of the current run. Null before its first publication.
  std::shared_ptr<const TrainingProgress> latest() const;
  int n_threads() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
