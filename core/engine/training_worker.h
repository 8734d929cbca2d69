#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/checkpoint/corpus.h"
#include "core/model/parameters.h"
#include "core/model/trained_model.h"
#include "core/tasks/task.h"
#include "core/train/training_settings.h"

namespace headscope {

using Snapshot = std::shared_ptr<const TrainedModel>;

/// These snapshots and, unless it is the last of them, the newest one if there is one.
inline std::vector<Snapshot> with_newest(std::vector<Snapshot> snapshots, const Snapshot& newest) {
  if (newest && (snapshots.empty() || snapshots.back() != newest)) snapshots.push_back(newest);
  return snapshots;
}

/// A bounded history of snapshots in ascending steps. When it is full, it drops every second one and doubles
/// the interval of those to come.
class SnapshotHistory {
 public:
  /// Keeps at most `capacity` (at least 2) snapshots, of every `every`-th step from 0 on.
  explicit SnapshotHistory(std::size_t capacity, int every = 1) : capacity_(capacity), every_(every) {}

  bool accepts(int step) const { return step % every_ == 0; }
  /// accepts() must hold for the snapshot's step.
  void keep(Snapshot snapshot) {
    all_.push_back(std::move(snapshot));
    if (all_.size() <= capacity_) return;
    every_ *= 2;
    std::erase_if(all_, [this](const Snapshot& each) { return !accepts(each->steps); });
  }
  const std::vector<Snapshot>& all() const { return all_; }

 private:
  std::vector<Snapshot> all_;
  std::size_t capacity_;
  int every_;
};

struct Session;

/// One training from random weights. Two runs of a worker are equal only if they are the same run. On one
/// machine, runs with equal task or text, architecture (including the seed) and constant settings find equal
/// weights.
struct TrainingRun {
  TaskKind task = TaskKind::pronouns;
  Architecture architecture;
  int attempt = 0;  ///< Distinguishes the runs of a process.
  /// The text to train on in place of the task. Null if there is none.
  std::shared_ptr<const Corpus> corpus = {};
  bool operator==(const TrainingRun&) const = default;
};

/// The open text that the session's model learns. Null if there is none.
std::shared_ptr<const Corpus> open_corpus(const Session& session);
/// Whether the session has a task or a text to learn.
bool can_train(const Session& session);
/// The run that trains it, which can_train() must allow.
TrainingRun training_run(const Session& session, int attempt);

enum class TrainingState {
  running,
  waiting,  ///< Waits for resume(), because it would take longer than allowed without confirmation.
  paused,
  finished,   ///< All steps are done.
  diverged,   ///< The loss grew; the weights are the last good ones.
  refused,    ///< The model cannot be trained; `problem` says why.
  discarded,  ///< The run to restore is no longer kept.
};

/// The result of one step or one evaluation.
struct TrainingPoint {
  int step = 0;
  double loss = 0.0;      ///< The mean loss of the task's parts, weighted, in nats.
  double accuracy = 0.0;  ///< From 0 to 1, for the first part of the task. NaN if no row had a target.
};

/// A sample that a model wrote during its training.
struct WrittenSample {
  int step = 0;
  std::string text;  ///< The continuation of Corpus::example.
};

/// The progress of a training run. Immutable once published.
struct TrainingProgress {
  TrainingRun run;
  TrainingState state = TrainingState::running;
  std::string problem;  ///< If refused or diverged: what happened and what to do.
  /// The settings of the entire run. Empty if they changed during it.
  std::optional<TrainingSettings> settings;
  int steps = 0;  ///< The number of steps done.
  int total_steps = 0;
  double seconds = 0.0;                 ///< The time spent on steps.
  double seconds_left = 0.0;            ///< The remaining time at the present pace.
  std::vector<TrainingPoint> train;     ///< One point per step, thinned out if there are many.
  std::vector<TrainingPoint> held_out;  ///< On held-out sentences.
  std::vector<double>
      parts;  ///< The mean cross-entropy of each part in the last batch, in nats. May be empty.
  std::vector<WrittenSample> samples;  ///< In ascending order of steps. Empty unless it learns a text.
  std::shared_ptr<const TrainedModel> newest;
  /// Earlier snapshots in ascending order from step 0 on, at most `max_kept`, evenly thinned out.
  std::vector<std::shared_ptr<const TrainedModel>> kept;
  std::shared_ptr<const ParameterLayout> layout;
  /// The gradient of the loss at the last step, laid out as `layout` says. Null before the first step.
  std::shared_ptr<const std::vector<float>> gradients;

  static constexpr std::size_t max_kept = 48;
  /// Those that are kept, and the newest. Empty before there are weights.
  std::vector<Snapshot> snapshots() const { return with_newest(kept, newest); }
};

/// A command for the training worker.
struct TrainingCommand {
  enum class Kind {
    /// Replaces the current run. Starting the same run again does nothing. If the first steps predict more
    /// than `max_seconds`, it waits for `resume`.
    start,
    prepare,  ///< The same, but the run stays at step 0 and waits for `resume` or `step`.
    /// Restores a suspended run, which waits for `resume` or `step`. A run without a step, or with too many
    /// successors, is `discarded`.
    restore,
    suspend,  ///< Suspends the run without starting another.
    /// Changes the settings from the next step on. A finished run continues if it now has more steps.
    adjust,
    pause,
    resume,
    step  ///< Does one step of a paused run.
  };
  Kind kind = Kind::suspend;
  TrainingRun run = {};            ///< Used by start, prepare and restore.
  TrainingSettings settings = {};  ///< Used by start, prepare, restore and adjust.
  double max_seconds = 0.0;        ///< Used by start: the time that the run may take without confirmation.
};

/// Trains one model at a time on a thread of its own (or in slices), and publishes its progress a few times a
/// second. The thread has a lower priority than the window's and leaves it one processor. Only the destructor
/// blocks: for the rest of a layer, or until the weights of a large model are drawn.
class TrainingWorker {
 public:
  /// `on_progress` is called on the worker's thread after each publication and must not throw. If `n_threads`
  /// is 0, uses one thread less than the machine has.
  explicit TrainingWorker(std::function<void()> on_progress, int n_threads = 0);
  ~TrainingWorker();
  TrainingWorker(const TrainingWorker&) = delete;
  TrainingWorker& operator=(const TrainingWorker&) = delete;

  /// The number of most recently replaced runs that can be restored.
  static constexpr std::size_t max_suspended = 2;

  void carry_out(const TrainingCommand& command);

  /// The progress of the current run. Null before its first publication.
  std::shared_ptr<const TrainingProgress> latest() const;
  int n_threads() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
