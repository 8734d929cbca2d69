#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>

#include "core/engine/training_job.h"
#include "core/jobs/job_thread.h"

namespace headscope {

/// What a training worker's thread shares with its caller, and what the thread does with it.
struct TrainingWorker::State {
  /// What the caller wants the current run to do.
  struct Orders {
    TrainingSettings settings = {};
    bool playing = false;
    int single_steps = 0;
    double most_seconds = 0.0;  ///< The time that the run may take without confirmation.
    bool is_asked_for = false;
    bool restores = false;  ///< Whether to restore a suspended run instead of starting one.
    bool changed = false;   ///< Whether the orders changed since the thread last looked.
  };

  std::function<void()> on_progress;
  int n_threads = 1;

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::optional<TrainingRun> asked;  ///< The current run, or the one that is about to begin.
  Orders orders;
  std::shared_ptr<const TrainingProgress> latest;
  /// Used only by the thread: its helpers, the current run, and the suspended runs, of which the latest is at
  /// the end.
  std::unique_ptr<TaskPool> pool;
  std::unique_ptr<TrainingJob> job;
  std::vector<std::unique_ptr<TrainingJob>> suspended;
  /// Declared last, so that it ends before the members that it uses are destroyed.
  JobThread thread{JobThread::Order::newest, [](const auto&) {}};

  void run(const TrainingRun& begun);
  void begin(const TrainingRun& run, const Orders& first_orders);
  /// Changes what the caller wants of the current run.
  template <class Change>
  void order(Change change) {
    {
      const std::lock_guard lock(mutex);
      if (!asked) return;
      change(orders);
      orders.changed = true;
    }
    changed.notify_one();
  }
  void train(const TrainingRun& run);
  bool restore(const TrainingRun& run);
  Result<void> make_job(const TrainingRun& run, const TrainingSettings& settings);
  void leave_job();
  bool must_ask(const TrainingJob& job, const Orders& now) const;
  bool wait_for_work(const TrainingJob& job, Orders& now);
  void rest();
  void judge_pace(const TrainingJob& job, Orders& now);
  TrainingState state_of(const TrainingJob& job, const Orders& now) const;
  std::shared_ptr<const TrainingProgress> shown(const TrainingJob& job, TrainingState state) const;
  void publish(std::shared_ptr<const TrainingProgress> progress);
  void publish_end(const TrainingRun& run, TrainingState state, const std::string& why);
};

}  // namespace headscope
