#include "core/engine/worker.h"

#include <mutex>
#include <optional>

#include "core/caught.h"
#include "core/jobs/job_thread.h"

namespace headscope {

struct Worker::State {
  State(std::function<void()> ready, int n_threads)
      : on_ready(std::move(ready)), engine(n_threads), thread(JobThread::Order::newest, [this](const auto&) {
          const std::lock_guard lock(mutex);
          is_answered = true;  // there was no memory even for the answer
        }) {}

  std::function<void()> on_ready;
  Engine engine;

  mutable std::mutex mutex;
  std::optional<Request> asked;  ///< last
  bool is_answered = true;       ///< that request
  std::shared_ptr<const Outcome> latest;
  StopFlags stale;   ///< tells a running pass to give up
  JobThread thread;  ///< ends before what it uses

  void give_up_all() {
    stale.pass = true;
    stale.weights = true;
  }
  void run(const Request& request);
  Result<std::shared_ptr<const Trace>> compute(const Request& request, const OnPartialTrace& on_partial);
  void publish(const Request& request, Result<std::shared_ptr<const Trace>> result);
};

void Worker::State::run(const Request& request) {
  {
    const std::lock_guard lock(mutex);
    if (asked != request) return;
    stale.pass = false;
    stale.weights = false;
  }
  const auto on_partial = [&](std::shared_ptr<const Trace> trace) { publish(request, std::move(trace)); };
  publish(request, compute(request, on_partial));
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
    if (!is_partial && asked == request) is_answered = true;
  }
  replaced.reset();  // outside the lock: a large trace may take a while to go
  if (on_ready) on_ready();
}

Worker::Worker(std::function<void()> on_ready, int n_threads)
    : state_(std::make_unique<State>(std::move(on_ready), n_threads)) {}

Worker::~Worker() {
  const std::lock_guard lock(state_->mutex);
  state_->asked.reset();
  state_->give_up_all();
}

void Worker::submit(const Request& request) {
  const std::lock_guard lock(state_->mutex);
  if (state_->asked == request) return;
  // Weights that are being drawn are for the new request as well, where only its sentence differs: otherwise
  // typing would keep a large model from ever being drawn.
  if (!state_->asked || !same_weights(*state_->asked, request)) state_->stale.weights = true;
  state_->stale.pass = true;
  state_->asked = request;
  state_->is_answered = false;
  state_->thread.submit([state = state_.get(), request](const auto&) { state->run(request); });
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
  state_->asked.reset();
  state_->is_answered = true;
  state_->thread.cancel();
  state_->give_up_all();
}

bool Worker::busy() const {
  const std::lock_guard lock(state_->mutex);
  return !state_->is_answered;
}

}  // namespace headscope
