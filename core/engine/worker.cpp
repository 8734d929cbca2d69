#include "core/engine/worker.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "core/caught.h"

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
  StopFlags stale;  ///< tells a running pass to give up
  std::thread thread;

  void give_up_all() {
    stale.pass = true;
    stale.weights = true;
  }
  void run();
  Result<std::shared_ptr<const Trace>> compute(const Request& request, const OnPartialTrace& on_partial);
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
      stale.pass = false;
      stale.weights = false;
      running = true;
    }
    const auto on_partial = [&](std::shared_ptr<const Trace> trace) { publish(request, std::move(trace)); };
    publish(request, compute(request, on_partial));
  }
}

Result<std::shared_ptr<const Trace>> Worker::State::compute(const Request& request,
                                                            const OnPartialTrace& on_partial) try {
  return engine.compute(request, TooLong::cut, &stale, on_partial);
} catch (...) {
  return failure(caught_text());
}

void Worker::State::publish(const Request& request, Result<std::shared_ptr<const Trace>> result) {
  const bool gave_up = result && *result == nullptr;
  if (gave_up) return;
  const bool is_partial = result && !(*result)->complete();
  if (is_partial && stale.pass) return;
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
    state_->give_up_all();
  }
  state_->changed.notify_one();
  state_->thread.join();
}

void Worker::submit(const Request& request) {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->last_asked == request) return;
    // Weights that are being drawn are for the new request as well, where only its sentence differs:
    // otherwise typing would keep a large model from ever being drawn.
    if (!state_->last_asked || !same_weights(*state_->last_asked, request)) state_->stale.weights = true;
    state_->stale.pass = true;
    state_->last_asked = request;
    state_->pending = request;
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
  std::shared_ptr<const Outcome> discarded;
  const std::lock_guard lock(state_->mutex);
  discarded.swap(state_->latest);
  state_->last_asked.reset();
  state_->pending.reset();
  state_->give_up_all();
}

bool Worker::busy() const {
  const std::lock_guard lock(state_->mutex);
  return state_->running || state_->pending;
}

}  // namespace headscope
