#include "core/engine/training_worker.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include "core/caught.h"
#include "core/engine/training_job.h"
#include "core/jobs/job_thread.h"
#include "core/session/session.h"
#include "core/system/process.h"

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// The interval of publications, and the maximum share of the time for them.
constexpr Seconds between_publications{0.08};
constexpr double publishing_share = 0.1;

/// The number of steps that predict the duration of a run.
constexpr int probe_steps = 5;

}  // namespace

std::shared_ptr<const Corpus> open_corpus(const Session& session) {
  const std::shared_ptr<const Corpus> corpus = corpus_of(session.model);
  return corpus && corpus->is_open() ? corpus : nullptr;
}

bool can_train(const Session& session) {
  return parse_task_name(session.task) || open_corpus(session);
}

TrainingRun training_run(const Session& session, int attempt) {
  return {parse_task_name(session.task).value_or(TaskKind::pronouns), session.architecture, attempt,
          open_corpus(session)};
}

/// The state that a training worker's thread shares with its caller, and the work of the thread.
struct TrainingWorker::State {
  /// The commands for the current run.
  struct Orders {
    std::optional<TrainingRun> run = {};  ///< The current run, or the one that is about to begin.
    TrainingSettings settings = {};
    bool playing = false;
    int single_steps = 0;
    double max_seconds = 0.0;  ///< The time that the run may take without confirmation.
    bool is_asked_for = false;
    bool restores = false;  ///< Whether to restore a suspended run instead of starting one.
    bool begins = false;    ///< Whether the run is to begin, or to be left if there is none.
    bool changed = false;   ///< Whether the orders changed since the thread last looked.
  };

  std::function<void()> on_progress;
  int n_threads = 1;

  mutable std::mutex mutex;
  Orders orders;
  bool is_submitted = false;  ///< Whether the thread looks for work.
  std::shared_ptr<const TrainingProgress> latest;
  /// Used only by the thread: its helpers, the current run (without a job once refused), its published
  /// progress, the time of the next publication, and the suspended runs, latest last.
  std::unique_ptr<ThreadPool> pool;
  std::optional<TrainingRun> current;
  std::unique_ptr<TrainingJob> job;
  TrainingState state = TrainingState::running;
  Clock::time_point due;
  std::vector<std::unique_ptr<TrainingJob>> suspended;
  /// Declared last, so that it ends before the members that it uses are destroyed.
  JobThread thread{JobThread::Order::every, [](const auto&) {}};

  /// Suspends the current run at once, and starts another if there is one.
  void turn_to(Orders first_orders) {
    std::shared_ptr<const TrainingProgress> discarded;  // This is released outside the lock.
    const std::lock_guard lock(mutex);
    if (orders.run == first_orders.run) return;
    orders = std::move(first_orders);
    orders.begins = true;
    thread.cancel();
    is_submitted = false;
    look_for_work();
    discarded.swap(latest);
  }
  /// Wakes the thread unless it is working. The caller holds the mutex.
  void look_for_work() {
    if (std::exchange(is_submitted, true)) return;
    thread.submit([this] { return slice(); });
  }
  /// Changes the commands for the current run.
  template <class Change>
  void order(Change change) {
    const std::lock_guard lock(mutex);
    if (!orders.run) return;
    change(orders);
    orders.changed = true;
    look_for_work();
  }
  /// Starts or suspends a run, or runs a slice of a step. Returns whether there is more to do.
  bool slice() try {
    const std::optional<Orders> now = next_orders();
    if (!now) return false;
    if (!now->begins) {
      train(*now);
    } else {
      leave_job();
      current = now->run;
      if (current) begin_run(*current, *now);
    }
    return true;
  } catch (const TrainingStopped&) {
    return true;  // Another run, or none, was requested.
  } catch (...) {
    job.reset();
    suspended.clear();  // This makes room for the message and for another try.
    if (current)
      publish_end(*current, TrainingState::refused,
                  current_exception_message("use fewer layers, or a smaller d_model, d_ff or batch size"));
    return true;
  }
  /// Takes the commands for the next slice. Empty if there is nothing to do.
  std::optional<Orders> next_orders() {
    const std::lock_guard lock(mutex);
    Orders now = orders;
    if (!now.begins && job && job->is_in_step()) return now;
    const bool can_go_on = !now.begins && job && !job->is_done();
    const bool steps = can_go_on && (orders.playing ? !must_ask(orders) : orders.single_steps > 0);
    if (!now.begins && !steps && !(job && orders.changed)) {
      is_submitted = false;
      return std::nullopt;
    }
    if (!now.begins)
      orders.single_steps = can_go_on && !orders.playing ? std::max(orders.single_steps - 1, 0) : 0;
    orders.begins = orders.changed = false;
    return now;
  }
  void begin_run(const TrainingRun& run, const Orders& first_orders) {
    if (!pool) {
      if (thread.has_thread()) lower_thread_priority();
      pool = std::make_unique<ThreadPool>(n_threads);
    }
    if (first_orders.restores) {
      if (!restore(run)) return publish_end(run, TrainingState::discarded, "");
      job->set_settings(first_orders.settings);
    } else if (const auto made = make_job(run, first_orders.settings); !made) {
      return publish_end(run, TrainingState::refused, made.error().message);
    }
    state = state_of(first_orders);
    publish(job->progress(state));
  }
  /// Carries out the commands for the current run: at most a slice of a step. They apply between steps.
  void train(Orders now) {
    bool steps = job->is_in_step();
    if (!steps) {
      job->set_settings(now.settings);
      steps = !job->is_done() && (now.playing ? !must_ask(now) : now.single_steps > 0);
    }
    if (steps && job->slice()) return;
    judge_pace(now);
    if (job->is_done()) rest();
    const TrainingState before = std::exchange(state, state_of(now));
    const bool goes_on = state == before && state == TrainingState::running;
    const bool is_probed = state == TrainingState::running && !now.is_asked_for;
    if (is_probed || (goes_on && Clock::now() < due)) return;
    const auto begin = Clock::now();
    publish(shown());
    const Seconds took = Clock::now() - begin;
    due = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                             std::max(between_publications, took / publishing_share));
  }
  /// Restores a suspended run. Returns false if there is none.
  bool restore(const TrainingRun& run) {
    const auto found = std::ranges::find_if(suspended, [&](const auto& old) { return old->run() == run; });
    if (found == suspended.end()) return false;
    job = std::move(*found);
    suspended.erase(found);
    return true;
  }
  /// Makes the job of a run. If memory is short, it drops suspended runs.
  Result<void> make_job(const TrainingRun& run, const TrainingSettings& settings) {
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
  /// Suspends the current run. One without a step is dropped.
  void leave_job() {
    if (!job) return;
    job->abandon_step();
    if (job->steps() == 0) return job.reset();
    suspended.push_back(std::move(job));
    if (suspended.size() > max_suspended) suspended.erase(suspended.begin());
  }
  /// Whether the run needs confirmation because it would take long.
  bool must_ask(const Orders& now) const {
    return now.playing && !now.is_asked_for && !job->is_done() && job->steps() >= probe_steps &&
           job->total_seconds() > now.max_seconds;
  }
  /// Makes a finished run continue only on demand.
  void rest() {
    const std::lock_guard lock(mutex);
    if (!orders.changed && !thread.stop()) orders.playing = false;
  }
  /// A run that was fast enough at first needs no confirmation if the machine slows down later.
  void judge_pace(Orders& now) {
    const bool is_short = now.playing && job->steps() >= probe_steps && !must_ask(now);
    if (!is_short || now.is_asked_for) return;
    now.is_asked_for = true;
    const std::lock_guard lock(mutex);
    if (!thread.stop()) orders.is_asked_for = true;  // Otherwise the orders belong to another run.
  }
  TrainingState state_of(const Orders& now) const {
    if (job->has_diverged()) return TrainingState::diverged;
    if (job->is_done()) return TrainingState::finished;
    if (!now.playing) return TrainingState::paused;
    return must_ask(now) ? TrainingState::waiting : TrainingState::running;
  }
  /// Returns the progress of a run for display. A run that waits for confirmation appears at step 0; it later
  /// continues from the steps that measured its pace.
  std::shared_ptr<const TrainingProgress> shown() const {
    auto progress = job->progress(state);
    if (state != TrainingState::waiting || progress->kept.front()->steps > 0) return progress;
    auto has_begun = std::make_shared<TrainingProgress>(*progress);
    has_begun->steps = 0;
    has_begun->newest = has_begun->kept.front();
    has_begun->kept.resize(1);
    has_begun->train.clear();
    has_begun->held_out.clear();
    has_begun->parts.clear();
    has_begun->gradients.reset();
    return has_begun;
  }
  void publish(std::shared_ptr<const TrainingProgress> progress) {
    {
      const std::lock_guard lock(mutex);
      if (orders.run != progress->run) return;
      std::swap(latest, progress);
    }
    progress.reset();  // This happens outside the lock, because releasing a large model may take a while.
    if (on_progress) on_progress();
  }
  void publish_end(const TrainingRun& run, TrainingState state, const std::string& why) {
    auto end = std::make_shared<TrainingProgress>();
    end->run = run;
    end->state = state;
    end->problem = why;
    publish(std::move(end));
  }
};

TrainingWorker::TrainingWorker(std::function<void()> on_progress, int n_threads)
    : state_(std::make_unique<State>()) {
  const int machine = static_cast<int>(std::thread::hardware_concurrency());
  state_->on_progress = std::move(on_progress);
  state_->n_threads = n_threads > 0 ? n_threads : std::max(1, machine - 1);
}

TrainingWorker::~TrainingWorker() = default;

void TrainingWorker::carry_out(const TrainingCommand& command) {
  using enum TrainingCommand::Kind;
  const TrainingSettings& settings = command.settings;
  switch (command.kind) {
    case start:
      return state_->turn_to(
          {.run = command.run, .settings = settings, .playing = true, .max_seconds = command.max_seconds});
    case prepare:
      return state_->turn_to({.run = command.run, .settings = settings});
    case restore:
      return state_->turn_to({.run = command.run, .settings = settings, .restores = true});
    case suspend:
      return state_->turn_to({});
    case adjust:
      return state_->order([&](State::Orders& orders) { orders.settings = settings; });
    case pause:
      return state_->order([](State::Orders& orders) { orders.playing = false; });
    case resume:
      return state_->order([](State::Orders& orders) { orders.playing = orders.is_asked_for = true; });
    case step:
      return state_->order([](State::Orders& orders) {
        orders.playing = false;
        ++orders.single_steps;
      });
  }
}

std::shared_ptr<const TrainingProgress> TrainingWorker::latest() const {
  const std::lock_guard lock(state_->mutex);
  return state_->latest;
}

int TrainingWorker::n_threads() const {
  return state_->n_threads;
}

}  // namespace headscope
