#include "core/engine/training_worker.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "core/caught.h"
#include "core/engine/training_job.h"
#include "core/jobs/job_thread.h"

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

void TrainingWorker::State::begin(const TrainingRun& run, const Orders& first_orders) {
  std::shared_ptr<const TrainingProgress> discarded;
  {
    const std::lock_guard lock(mutex);
    if (asked == run) return;
    asked = run;
    orders = first_orders;
    thread.submit([this, run](const auto&) { this->run(run); });
    discarded.swap(latest);
  }
  changed.notify_one();
}

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

TrainingWorker::TrainingWorker(std::function<void()> on_progress, int n_threads)
    : state_(std::make_unique<State>()) {
  const int machine = static_cast<int>(std::thread::hardware_concurrency());
  state_->on_progress = std::move(on_progress);
  state_->n_threads = n_threads > 0 ? n_threads : std::max(1, machine - 1);
}

TrainingWorker::~TrainingWorker() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->thread.cancel();
  }
  state_->changed.notify_one();
}

void TrainingWorker::start(const TrainingRun& run, const TrainingSettings& settings, double most_seconds) {
  state_->begin(run, {.settings = settings, .playing = true, .most_seconds = most_seconds});
}

void TrainingWorker::prepare(const TrainingRun& run, const TrainingSettings& settings) {
  state_->begin(run, {.settings = settings});
}

void TrainingWorker::restore(const TrainingRun& run, const TrainingSettings& settings) {
  state_->begin(run, {.settings = settings, .restores = true});
}

void TrainingWorker::set_settings(const TrainingSettings& settings) {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->orders.settings == settings) return;
  }
  state_->order([&](State::Orders& orders) { orders.settings = settings; });
}

void TrainingWorker::pause() {
  state_->order([](State::Orders& orders) { orders.playing = false; });
}

void TrainingWorker::resume() {
  state_->order([](State::Orders& orders) {
    orders.playing = true;
    orders.is_asked_for = true;
  });
}

void TrainingWorker::step() {
  state_->order([](State::Orders& orders) {
    orders.playing = false;
    ++orders.single_steps;
  });
}

void TrainingWorker::leave() {
  std::shared_ptr<const TrainingProgress> discarded;
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->asked) return;
    state_->asked.reset();
    state_->thread.cancel();
    discarded.swap(state_->latest);
  }
  state_->changed.notify_one();
}

std::shared_ptr<const TrainingProgress> TrainingWorker::latest() const {
  const std::lock_guard lock(state_->mutex);
  return state_->latest;
}

int TrainingWorker::n_threads() const {
  return state_->n_threads;
}

}  // namespace headscope
