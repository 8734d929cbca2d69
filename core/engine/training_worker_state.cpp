#include "core/engine/training_worker_state.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/caught.h"

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// How often progress is published, and the largest share of the time that publishing may take.
constexpr Seconds between_publications{0.08};
constexpr double publishing_share = 0.1;

/// The pace of this many steps tells how long a run takes.
constexpr int probe_steps = 5;

/// Lowers the priority of this thread. On Linux each thread has its own priority, and threads that it starts
/// inherit it.
void yield_to_other_threads() {
  constexpr int nice = 10;
  static_cast<void>(::setpriority(PRIO_PROCESS, 0, nice));  // If this fails, training is only less polite.
}

}  // namespace

void TrainingWorker::State::run(const TrainingRun& begun) {
  yield_to_other_threads();
  try {
    if (!pool) pool = std::make_unique<TaskPool>(n_threads);
    train(begun);
  } catch (const TrainingStopped&) {
    // Another run, or none, was requested.
  } catch (...) {
    job.reset();
    suspended.clear();  // This makes room for the message and for another try.
    publish_end(begun, TrainingState::refused,
                caught_text("use fewer layers, or a smaller d_model, d_ff or batch size"));
  }
  leave_job();
}

/// Continues a suspended run where it stopped. Returns false if there is no such run.
bool TrainingWorker::State::restore(const TrainingRun& run) {
  const auto found = std::ranges::find_if(suspended, [&](const auto& old) { return old->run() == run; });
  if (found == suspended.end()) return false;
  job = std::move(*found);
  suspended.erase(found);
  return true;
}

/// Makes the job of a run. If memory is short, it drops suspended runs.
Result<void> TrainingWorker::State::make_job(const TrainingRun& run, const TrainingSettings& settings) {
  for (;;) {
    double beside = 0.0;
    for (const auto& old : suspended) beside += old->bytes();
    auto made = TrainingJob::make(run, settings, *pool, thread.stop(), beside);
    if (made) {
      job = std::move(*made);
      return {};
    }
    if (suspended.empty()) return tl::unexpected(made.error());
    suspended.erase(suspended.begin());
  }
}

/// Suspends the current run. A run that has done no step is not worth keeping.
void TrainingWorker::State::leave_job() {
  if (!job) return;
  if (job->steps() == 0) return job.reset();
  suspended.push_back(std::move(job));
  if (suspended.size() > most_suspended) suspended.erase(suspended.begin());
}

/// Whether a run would take longer than it may without confirmation.
bool TrainingWorker::State::must_ask(const TrainingJob& job, const Orders& now) const {
  return now.playing && !now.is_asked_for && !job.is_done() && job.steps() >= probe_steps &&
         job.seconds_for_all() > now.most_seconds;
}

/// Waits until there is something to do. Returns false if the run is over.
bool TrainingWorker::State::wait_for_work(const TrainingJob& job, Orders& now) {
  std::unique_lock lock(mutex);
  const auto has_work = [&] {
    const bool plays = orders.playing && !must_ask(job, orders);
    return orders.changed || ((plays || orders.single_steps > 0) && !job.is_done());
  };
  changed.wait(lock, [&] { return thread.stop() || has_work(); });
  if (thread.stop()) return false;
  now = orders;
  orders.changed = false;
  orders.single_steps = 0;
  return true;
}

/// Returns the progress of a run as it is shown. A run that waits for confirmation is shown as if it had done
/// nothing yet; it later continues from the steps that were done to measure its pace.
std::shared_ptr<const TrainingProgress> TrainingWorker::State::shown(const TrainingJob& job,
                                                                     TrainingState state) const {
  auto progress = job.progress(state);
  if (state != TrainingState::waiting || progress->kept.front()->steps > 0) return progress;
  auto begun = std::make_shared<TrainingProgress>(*progress);
  begun->steps = 0;
  begun->newest = begun->kept.front();
  begun->kept.resize(1);
  begun->train.clear();
  begun->held_out.clear();
  begun->parts.clear();
  begun->gradients.reset();
  return begun;
}

TrainingState TrainingWorker::State::state_of(const TrainingJob& job, const Orders& now) const {
  if (job.has_diverged()) return TrainingState::diverged;
  if (job.is_done()) return TrainingState::finished;
  if (!now.playing) return TrainingState::paused;
  return must_ask(job, now) ? TrainingState::waiting : TrainingState::running;
}

/// A run that was short enough at first needs no confirmation if the machine becomes slower later.
void TrainingWorker::State::judge_pace(const TrainingJob& job, Orders& now) {
  const bool is_short = now.playing && job.steps() >= probe_steps && !must_ask(job, now);
  if (!is_short || now.is_asked_for) return;
  now.is_asked_for = true;
  const std::lock_guard lock(mutex);
  if (!thread.stop()) orders.is_asked_for = true;  // Otherwise the orders belong to another run.
}

/// Makes a finished run continue only on demand.
void TrainingWorker::State::rest() {
  const std::lock_guard lock(mutex);
  if (!orders.changed && !thread.stop()) orders.playing = false;
}

void TrainingWorker::State::train(const TrainingRun& run) {
  Orders now;
  {
    const std::lock_guard lock(mutex);
    now = orders;
  }
  if (now.restores) {
    if (!restore(run)) return publish_end(run, TrainingState::discarded, "");
    job->set_settings(now.settings);
  } else if (const auto made = make_job(run, now.settings); !made) {
    return publish_end(run, TrainingState::refused, made.error().message);
  }
  TrainingState state = state_of(*job, now);
  publish(job->progress(state));
  Clock::time_point due;
  while (wait_for_work(*job, now)) {
    job->set_settings(now.settings);
    const int n_steps = !now.playing ? now.single_steps : must_ask(*job, now) ? 0 : 1;
    for (int i = 0; i < n_steps && !job->is_done(); ++i) job->step();
    judge_pace(*job, now);
    if (job->is_done()) rest();
    const TrainingState before = std::exchange(state, state_of(*job, now));
    const bool goes_on = state == before && state == TrainingState::running;
    const bool is_probed = state == TrainingState::running && !now.is_asked_for;
    if (is_probed || (goes_on && Clock::now() < due)) continue;
    const auto begin = Clock::now();
    publish(shown(*job, state));
    const Seconds took = Clock::now() - begin;
    due = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                             std::max(between_publications, took / publishing_share));
  }
}

void TrainingWorker::State::publish(std::shared_ptr<const TrainingProgress> progress) {
  {
    const std::lock_guard lock(mutex);
    if (asked != progress->run) return;
    std::swap(latest, progress);
  }
  progress.reset();  // This happens outside the lock, because releasing a large model may take a while.
  if (on_progress) on_progress();
}

void TrainingWorker::State::publish_end(const TrainingRun& run, TrainingState state, const std::string& why) {
  auto end = std::make_shared<TrainingProgress>();
  end->run = run;
  end->state = state;
  end->problem = why;
  publish(std::move(end));
}

}  // namespace headscope
