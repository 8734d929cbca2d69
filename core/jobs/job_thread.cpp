#include "core/jobs/job_thread.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "core/caught.h"

namespace headscope {

using Clock = std::chrono::steady_clock;

struct JobThread::State {
  Order order = Order::newest;
  std::function<void(const std::string&)> on_fault;

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::condition_variable idle;
  std::deque<Job> waiting;
  bool running = false;
  bool closing = false;
  std::atomic<bool> stop{false};
  Job job;             ///< The one that is running. Used only by the thread.
  std::thread thread;  ///< None if jobs run in run_slices().

  bool begin_next();
  bool slice();
  void run();
  void drop_all();
  /// Whether a job runs or waits. The caller holds the mutex, unless there is no thread.
  bool has_jobs() const { return running || !waiting.empty(); }
};

/// Makes the job that waits longest the running one, unless one is running. Returns false if there is none.
bool JobThread::State::begin_next() {
  const std::lock_guard lock(mutex);
  if (running) return true;
  if (waiting.empty()) return false;
  job = std::move(waiting.front());
  waiting.pop_front();
  stop = false;
  running = true;
  return true;
}

/// Runs a slice of a job. Returns whether there is more to do.
bool JobThread::State::slice() {
  if (!begin_next()) return false;
  bool has_more = false;
  try {
    has_more = !stop && job();
  } catch (...) {
    on_fault(current_exception_message());
  }
  if (has_more && !stop) return true;
  job = nullptr;  // This happens outside the lock, because releasing what it holds may take a while.
  const std::lock_guard lock(mutex);
  running = false;
  if (waiting.empty()) idle.notify_all();
  return !waiting.empty();
}

void JobThread::State::run() {
  for (;;) {
    while (slice()) {
    }
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return !waiting.empty() || closing; });
    if (closing) return;
  }
}

void JobThread::State::drop_all() {
  waiting.clear();
  if (running) stop = true;
}

namespace {

/// Job threads that are none. They belong to the main thread.
struct Threadless {
  int n_scopes = 0;  ///< How many ScopedThreadBan there are.
  /// The one whose turn it is stands first.
  std::deque<std::weak_ptr<JobThread::State>> states;
};
Threadless& threadless() {
  static Threadless all;
  return all;
}

/// The next one that has a job. Null if there is none.
std::shared_ptr<JobThread::State> next_in_turn() {
  auto& states = threadless().states;
  for (std::size_t n = states.size(); n > 0; --n) {
    auto state = states.front().lock();
    states.pop_front();
    if (state) states.push_back(state);
    if (state && state->has_jobs()) return state;
  }
  return nullptr;
}

}  // namespace

ScopedThreadBan::ScopedThreadBan() {
  ++threadless().n_scopes;
}

ScopedThreadBan::~ScopedThreadBan() {
  --threadless().n_scopes;
}

bool run_slices(std::chrono::milliseconds time) {
  const Clock::time_point end = Clock::now() + time;
  auto next = next_in_turn();
  while (next) {
    next->slice();
    next = next_in_turn();
    if (Clock::now() >= end) break;
  }
  if (!next) return false;
  // It keeps its turn.
  auto& states = threadless().states;
  states.push_front(std::move(states.back()));
  states.pop_back();
  return true;
}

JobThread::JobThread(Order order, std::function<void(const std::string&)> on_fault)
    : state_(std::make_shared<State>()) {
  state_->order = order;
  state_->on_fault = std::move(on_fault);
  if (threadless().n_scopes > 0) {
    threadless().states.push_back(state_);
  } else {
    state_->thread = std::thread([state = state_.get()] { state->run(); });
  }
}

JobThread::~JobThread() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->closing = true;
    state_->drop_all();
  }
  state_->changed.notify_one();
  if (has_thread()) state_->thread.join();
}

void JobThread::submit(Job job) {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->order == Order::newest) state_->drop_all();
    state_->waiting.push_back(std::move(job));
  }
  state_->changed.notify_one();
}

void JobThread::cancel() {
  const std::lock_guard lock(state_->mutex);
  state_->drop_all();
}

void JobThread::finish() {
  while (!finish_within(std::chrono::hours(1))) {
  }
}

bool JobThread::finish_within(std::chrono::milliseconds timeout) {
  if (!has_thread()) {
    const Clock::time_point end = Clock::now() + timeout;
    while (state_->slice())
      if (Clock::now() >= end) return false;
    return true;
  }
  std::unique_lock lock(state_->mutex);
  return state_->idle.wait_for(lock, timeout, [this] { return !state_->has_jobs(); });
}

bool JobThread::busy() const {
  const std::lock_guard lock(state_->mutex);
  return state_->has_jobs();
}

bool JobThread::has_thread() const {
  return state_->thread.joinable();
}

const std::atomic<bool>& JobThread::stop() const {
  return state_->stop;
}

}  // namespace headscope
