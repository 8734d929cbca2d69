#include "core/engine/training_worker.h"

#include <sys/resource.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "core/engine/training_job.h"

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// How often progress is published, and the most of the time that making it may take.
constexpr Seconds between_publications{0.08};
constexpr double publishing_share = 0.1;

/// By the pace of so many steps it is judged how long a run takes.
constexpr int probe_steps = 5;

/// Linux gives each thread a priority of its own, which those that it starts inherit.
void yield_to_other_threads() {
  constexpr int nice = 10;
  static_cast<void>(::setpriority(PRIO_PROCESS, 0, nice));  // without it training is only less polite
}

}  // namespace

struct TrainingWorker::State {
  /// What is asked of the run that there is.
  struct Orders {
    TrainingSettings settings;
    bool playing = false;
    int single_steps = 0;
    bool changed = false;  ///< since the thread last looked
  };

  struct Start {
    TrainingRun run;
    double most_seconds = 0.0;
  };

  std::function<void()> on_progress;
  int n_threads = 1;

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::optional<TrainingRun> asked;  ///< the run that there is or is about to be
  std::optional<Start> start;        ///< not yet begun
  Orders orders;
  bool forget = false;
  bool closing = false;
  std::atomic<bool> stop{false};  ///< tells a step under way to give up
  std::shared_ptr<const TrainingProgress> latest;
  std::thread thread;

  void run();
  void begin(const TrainingRun& run, const TrainingSettings& settings, double most_seconds, bool playing);
  template <class Change>
  void order(Change change);
  void train(const Start& begun, TaskPool& pool);
  bool wait_for_work(TrainingJob& job, Orders& now);
  void publish(std::shared_ptr<const TrainingProgress> progress);
  void publish_refusal(const TrainingRun& run, const std::string& why);
};

void TrainingWorker::State::run() {
  yield_to_other_threads();
  TaskPool pool(n_threads);
  for (;;) {
    Start begun;
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [this] { return start || closing; });
      if (closing) return;
      begun = std::move(*start);
      start.reset();
      forget = false;
      stop = false;
    }
    try {
      train(begun, pool);
    } catch (const TrainingStopped&) {
      // Another run, or none, was asked for: what this one found is of no use any more.
    } catch (const std::bad_alloc&) {
      publish_refusal(begun.run, "there is not enough memory to train this model");
    }
  }
}

/// Where nothing is to be done, waits until something is. False: the run is over.
bool TrainingWorker::State::wait_for_work(TrainingJob& job, Orders& now) {
  std::unique_lock lock(mutex);
  const auto has_work = [&] {
    return orders.changed || ((orders.playing || orders.single_steps > 0) && !job.is_done());
  };
  changed.wait(lock, [&] { return closing || forget || start || has_work(); });
  if (closing || forget || start) return false;
  now = orders;
  orders.changed = false;
  orders.single_steps = 0;
  return true;
}

void TrainingWorker::State::train(const Start& begun, TaskPool& pool) {
  Orders now;
  {
    const std::lock_guard lock(mutex);
    now = orders;
    orders.changed = true;
  }
  auto made = TrainingJob::make(begun.run, now.settings, pool, stop);
  if (!made) return publish_refusal(begun.run, made.error().message);
  TrainingJob& job = **made;
  auto state = now.playing ? TrainingState::running : TrainingState::paused;
  bool may_take_longer = false;
  publish(job.progress(state));
  Clock::time_point due;
  while (wait_for_work(job, now)) {
    job.set_settings(now.settings);
    const auto resting = [&] {
      if (job.has_diverged()) return TrainingState::diverged;
      return job.is_done() ? TrainingState::finished : TrainingState::paused;
    };
    const TrainingState before = state;
    if (state == TrainingState::waiting && now.playing) may_take_longer = true;
    const bool steps = (now.playing || now.single_steps > 0) && !job.is_done();
    const int n_steps = now.playing ? 1 : now.single_steps;
    for (int i = 0; i < n_steps && steps && !job.is_done(); ++i) job.step();
    state = now.playing && !job.is_done() ? TrainingState::running : resting();
    const bool is_judged = state == TrainingState::running && !may_take_longer && job.steps() >= probe_steps;
    if (is_judged && job.seconds_for_all() > begun.most_seconds) {
      state = TrainingState::waiting;
      const std::lock_guard lock(mutex);
      orders.playing = false;
    }
    may_take_longer = may_take_longer || is_judged;
    if (state == before && steps && now.playing && Clock::now() < due) continue;
    const auto begin = Clock::now();
    publish(job.progress(state));
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
  progress.reset();  // outside the lock: large models may take a while to go
  if (on_progress) on_progress();
}

void TrainingWorker::State::publish_refusal(const TrainingRun& run, const std::string& why) {
  auto refused = std::make_shared<TrainingProgress>();
  refused->run = run;
  refused->state = TrainingState::refused;
  refused->problem = why;
  publish(std::move(refused));
}

void TrainingWorker::State::begin(const TrainingRun& run, const TrainingSettings& settings,
                                  double most_seconds, bool playing) {
  std::shared_ptr<const TrainingProgress> gone;
  {
    const std::lock_guard lock(mutex);
    if (asked == run) return;
    asked = run;
    start = Start{run, most_seconds};
    orders = {settings, playing, 0, true};
    stop = true;
    gone.swap(latest);
  }
  changed.notify_one();
}

/// Changes what is asked of the run that there is.
template <class Change>
void TrainingWorker::State::order(Change change) {
  {
    const std::lock_guard lock(mutex);
    if (!asked) return;
    change(orders);
    orders.changed = true;
  }
  changed.notify_one();
}

TrainingWorker::TrainingWorker(std::function<void()> on_progress, int n_threads)
    : state_(std::make_unique<State>()) {
  const int machine = static_cast<int>(std::thread::hardware_concurrency());
  state_->on_progress = std::move(on_progress);
  state_->n_threads = n_threads > 0 ? n_threads : std::max(1, machine - 1);
  state_->thread = std::thread([state = state_.get()] { state->run(); });
}

TrainingWorker::~TrainingWorker() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->closing = true;
    state_->stop = true;
  }
  state_->changed.notify_one();
  state_->thread.join();
}

void TrainingWorker::start(const TrainingRun& run, const TrainingSettings& settings, double most_seconds) {
  constexpr bool playing = true;
  state_->begin(run, settings, most_seconds, playing);
}

void TrainingWorker::prepare(const TrainingRun& run, const TrainingSettings& settings) {
  constexpr bool playing = false;
  constexpr double as_long_as_it_takes = 1e30;
  state_->begin(run, settings, as_long_as_it_takes, playing);
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
  state_->order([](State::Orders& orders) { orders.playing = true; });
}

void TrainingWorker::step() {
  state_->order([](State::Orders& orders) {
    orders.playing = false;
    ++orders.single_steps;
  });
}

void TrainingWorker::forget() {
  std::shared_ptr<const TrainingProgress> gone;
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->asked) return;
    state_->asked.reset();
    state_->start.reset();
    state_->forget = true;
    state_->stop = true;
    gone.swap(state_->latest);
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
