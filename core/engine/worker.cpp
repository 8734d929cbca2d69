#include "core/engine/worker.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace headscope {

struct Worker::State {
  State(std::function<void()> ready, int n_threads) : on_ready(std::move(ready)), engine(n_threads) {}

  std::function<void()> on_ready;
  Engine engine;

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::optional<Request> pending;  ///< asked for and not yet begun
  std::optional<Request> last_asked;
  std::shared_ptr<const Outcome> latest;
  bool running = false;
  bool closing = false;
  std::atomic<bool> stale{false};  ///< tells a running pass to give up
  std::thread thread;

  void run();
  void publish(const Request& request, Result<std::shared_ptr<const Trace>> result);
};

void Worker::State::run() {
  for (;;) {
    Request request;
    {
      std::unique_lock lock(mutex);
      running = false;
      changed.wait(lock, [this] { return pending || closing; });
      if (closing) return;
      request = std::move(*pending);
      pending.reset();
      stale = false;
      running = true;
    }
    const auto on_partial = [&](std::shared_ptr<const Trace> trace) { publish(request, std::move(trace)); };
    publish(request, engine.compute(request, TooLong::cut, &stale, on_partial));
  }
}

void Worker::State::publish(const Request& request, Result<std::shared_ptr<const Trace>> result) {
  const bool gave_up = result && *result == nullptr;
  if (gave_up) return;
  const bool is_partial = result && !(*result)->complete();
  if (is_partial && stale) return;
  auto outcome = std::make_shared<Outcome>();
  outcome->request = request;
  if (result) {
    outcome->trace = std::move(*result);
  } else {
    outcome->error = result.error().message;
  }
  std::shared_ptr<const Outcome> replaced = std::move(outcome);
  {
    const std::lock_guard lock(mutex);
    std::swap(latest, replaced);
    running = is_partial;
  }
  replaced.reset();  // outside the lock: a large trace may take a while to go
  if (on_ready) on_ready();
}

Worker::Worker(std::function<void()> on_ready, int n_threads)
    : state_(std::make_unique<State>(std::move(on_ready), n_threads)) {
  state_->thread = std::thread([this] { state_->run(); });
}

Worker::~Worker() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->closing = true;
    state_->stale = true;
  }
  state_->changed.notify_one();
  state_->thread.join();
}

void Worker::submit(const Request& request) {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->last_asked == request) return;
    state_->last_asked = request;
    state_->pending = request;
    state_->stale = true;
  }
  state_->changed.notify_one();
}

std::shared_ptr<const Outcome> Worker::latest() const {
  const std::lock_guard lock(state_->mutex);
  return state_->latest;
}

int Worker::n_threads() const {
  return state_->engine.n_threads();
}

void Worker::forget() {
  std::shared_ptr<const Outcome> gone;
  const std::lock_guard lock(state_->mutex);
  gone.swap(state_->latest);
  state_->last_asked.reset();
  state_->pending.reset();
  state_->stale = true;
}

bool Worker::busy() const {
  const std::lock_guard lock(state_->mutex);
  return state_->running || state_->pending;
}

}  // namespace headscope
