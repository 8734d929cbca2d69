#include "core/jobs/job_thread.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "core/caught.h"

namespace headscope {

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
  std::thread thread;

  void run();
  void drop_all();
};

void JobThread::State::run() {
  for (;;) {
    Job job;
    {
      std::unique_lock lock(mutex);
      running = false;
      if (waiting.empty()) idle.notify_all();
      changed.wait(lock, [this] { return !waiting.empty() || closing; });
      if (closing) return;
      job = std::move(waiting.front());
      waiting.pop_front();
      stop = false;
      running = true;
    }
    try {
      job(stop);
    } catch (...) {
      on_fault(caught_text());
    }
  }
}

void JobThread::State::drop_all() {
  waiting.clear();
  if (running) stop = true;
}

JobThread::JobThread(Order order, std::function<void(const std::string&)> on_fault)
    : state_(std::make_unique<State>()) {
  state_->order = order;
  state_->on_fault = std::move(on_fault);
  state_->thread = std::thread([state = state_.get()] { state->run(); });
}

JobThread::~JobThread() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->closing = true;
    state_->drop_all();
  }
  state_->changed.notify_one();
  state_->thread.join();
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
  std::unique_lock lock(state_->mutex);
  state_->idle.wait(lock, [this] { return !state_->running && state_->waiting.empty(); });
}

bool JobThread::finish_within(std::chrono::milliseconds patience) {
  std::unique_lock lock(state_->mutex);
  return state_->idle.wait_for(lock, patience,
                               [this] { return !state_->running && state_->waiting.empty(); });
}

bool JobThread::busy() const {
  const std::lock_guard lock(state_->mutex);
  return state_->running || !state_->waiting.empty();
}

const std::atomic<bool>& JobThread::stop() const {
  return state_->stop;
}

}  // namespace headscope
