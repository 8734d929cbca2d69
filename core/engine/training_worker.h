#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/parameters.h"
#include "core/model/trained_model.h"
#include "core/tasks/task.h"
#include "core/train/training_settings.h"

namespace headscope {

/// One training from random weights on; two of a worker are equal only where they are the same. Runs with the
/// same task, architecture (and so seed) and settings that never changed under way find the same weights on a
/// machine.
struct TrainingRun {
  TaskKind task = TaskKind::pronouns;
  Architecture architecture;
  int attempt = 0;  ///< distinguishes the runs of a process
  bool operator==(const TrainingRun&) const = default;
};

enum class TrainingState {
  running,
  waiting,  ///< for resume(): it would take longer than it may without confirmation
  paused,
  finished,   ///< all steps are done
  diverged,   ///< the loss grew: the weights are the last good ones
  refused,    ///< it cannot be trained; `problem` says why
  discarded,  ///< it was to be restored, but is no longer kept
};

/// What one step or one evaluation found.
struct TrainingPoint {
  int step = 0;
  double loss = 0.0;      ///< nats: the mean of the task's parts by their weights
  double accuracy = 0.0;  ///< 0 to 1, of the task's first part; NaN where no row asked for it
};

/// The progress of a training. Published once and never changed.
struct TrainingProgress {
  TrainingRun run;
  TrainingState state = TrainingState::running;
  std::string problem;  ///< of refused and diverged: what happened and what to do
  /// Those of the whole run; nothing where they changed under way.
  std::optional<TrainingSettings> settings;
  int steps = 0;  ///< done
  int wanted_steps = 0;
  double seconds = 0.0;                 ///< spent on steps
  double seconds_left = 0.0;            ///< at the pace so far
  std::vector<TrainingPoint> train;     ///< a point for each step, thinned out where there are many
  std::vector<TrainingPoint> held_out;  ///< on sentences that are never learned from
  std::vector<double>
      parts;  ///< of the last batch, each part's mean cross-entropy, nats; empty before the first
  std::shared_ptr<const TrainedModel> newest;
  /// To look back at: from step 0 on, ascending; at most `most_kept`, evenly thinned out.
  std::vector<std::shared_ptr<const TrainedModel>> kept;
  std::shared_ptr<const ParameterLayout> layout;
  /// Of the loss by every parameter at the last step; as the layout says. Null before the first.
  std::shared_ptr<const std::vector<float>> gradients;

  static constexpr std::size_t most_kept = 48;
};

/// A thread that trains one model at a time and publishes its progress a few times a second. It has a lower
/// priority than the window's threads and leaves them a processor. The caller waits only in the destructor,
/// for the rest of a layer or until the weights of a large model are drawn.
class TrainingWorker {
 public:
  /// `on_progress` is called from the worker's thread after each publication and must not throw. `n_threads`
  /// 0: one less than the machine has.
  explicit TrainingWorker(std::function<void()> on_progress, int n_threads = 0);
  ~TrainingWorker();
  TrainingWorker(const TrainingWorker&) = delete;
  TrainingWorker& operator=(const TrainingWorker&) = delete;

  /// The number of replaced runs, the last ones, that can be restored where they were.
  static constexpr std::size_t most_suspended = 2;

  /// Starts a run in place of the current one; starting the same run again does nothing. If, at the pace of
  /// its first steps, it would take longer than `most_seconds`, it waits for resume().
  void start(const TrainingRun& run, const TrainingSettings& settings, double most_seconds);
  /// The same, but it stays at step 0 and waits for resume() or step().
  void prepare(const TrainingRun& run, const TrainingSettings& settings);
  /// Continues a suspended run where it was; it waits for resume() or step(). Runs of no step, and those that
  /// too many others came after, are `discarded`.
  void restore(const TrainingRun& run, const TrainingSettings& settings);
  /// From the next step on. More steps than a finished run has let it go on.
  void set_settings(const TrainingSettings& settings);
  void pause();
  void resume();
  /// One step of a paused run.
  void step();
  /// Leaves the run.
  void leave();

  /// Of the current run; null before its first publication.
  std::shared_ptr<const TrainingProgress> latest() const;
  int n_threads() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
