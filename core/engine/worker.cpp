#include "core/engine/worker.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "core/caught.h"
#include "core/jobs/job_thread.h"

namespace headscope {

struct Worker::State {
  State(std::function<void()> ready, int n_threads)
      : on_ready(std::move(ready)), engine(n_threads), thread(JobThread::Order::newest, [this](const auto&) {
          {
            const std::lock_guard lock(mutex);
            running.reset();
            for (RequestedPass& each : requested) {
              if (each.is_answered) continue;
              each.outcome = each.refusal;
              each.is_answered = true;
            }
            if (!requested.empty()) latest = requested.front().outcome;
          }
          if (on_ready) on_ready();
        }) {}

  struct RequestedPass {
    /// The answer if there is not even enough memory to make one.
    std::shared_ptr<const Outcome> refusal;
    std::shared_ptr<const Outcome> outcome;  ///< Null until the first part is finished.
    bool is_answered = false;

    const Request& request() const { return refusal->request; }
  };

  std::function<void()> on_ready;
  Engine engine;

  mutable std::mutex mutex;
  std::vector<RequestedPass> requested;
  std::optional<Request> running;
  std::shared_ptr<const Outcome> latest;
  StopFlags stale;  ///< Tells a running pass to give up.
  /// The running pass. Used only by the thread.
  std::optional<Slices<Result<std::shared_ptr<const Trace>>>> computing;
  JobThread thread;  ///< Declared last, so that it ends before the members that it uses are destroyed.

  /// Replaces an outcome by the reason why its numbers can no longer be read, if there is one.
  static void refuse_if_changed(std::shared_ptr<const Outcome>& outcome) {
    if (!outcome || !outcome->trace) return;
    if (auto ok = outcome->trace->check_files(); !ok)
      outcome = std::make_shared<const Outcome>(Outcome{outcome->request, nullptr, ok.error().message});
  }
  RequestedPass* open() {
    const auto found = std::ranges::find(requested, false, &RequestedPass::is_answered);
    return found == requested.end() ? nullptr : &*found;
  }
  /// Begins the most urgent pass that is not there yet. Returns false if all are.
  bool begin_next() {
    const std::lock_guard lock(mutex);
    const RequestedPass* next = open();
    running.reset();
    if (next == nullptr) return false;
    running = next->request();
    stale.pass = false;
    stale.weights = false;
    const auto on_partial = [this, request = *running](std::shared_ptr<const Trace> part) {
      publish(request, std::move(part));
    };
    computing = engine.slices(*running, TooLong::cut, &stale, on_partial);
    return true;
  }
  /// Computes a slice of a pass. Returns whether there is more to do.
  bool slice() {
    if (stale.pass) computing.reset();
    if (!computing && !begin_next()) return false;
    Result<std::shared_ptr<const Trace>> result;
    try {
      if (computing->next()) return true;
      result = computing->take();
      if (result && *result) (*result)->overflow();  // here, so that no frame waits for it
    } catch (...) {
      result =
          failure(current_exception_message("shorten the sentence, or use fewer heads or a smaller d_model"));
    }
    computing.reset();
    publish(*running, std::move(result));
    return true;
  }
  void publish(const Request& request, Result<std::shared_ptr<const Trace>> result) {
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
    // These are released outside the lock, because releasing a large trace may take a while.
    std::vector<std::shared_ptr<const Outcome>> replaced;
    {
      const std::lock_guard lock(mutex);
      const auto found = std::ranges::find(requested, request, &RequestedPass::request);
      if (found == requested.end()) return;
      replaced.push_back(std::exchange(found->outcome, outcome));
      if (!is_partial) found->is_answered = true;
      if (found == requested.begin()) replaced.push_back(std::exchange(latest, outcome));
    }
    replaced.clear();
    if (on_ready) on_ready();
  }
};

Worker::Worker(std::function<void()> on_ready, int n_threads)
    : state_(std::make_unique<State>(std::move(on_ready), n_threads)) {}

Worker::~Worker() {
  const std::lock_guard lock(state_->mutex);
  state_->requested.clear();
  state_->stale.pass = true;
  state_->stale.weights = true;
}

void Worker::submit(std::vector<Request> asked) {
  std::vector<Request> requests;
  for (Request& request : asked) {
    if (std::ranges::find(requests, request) == requests.end()) requests.push_back(std::move(request));
  }
  std::vector<State::RequestedPass> released;  // This is released outside the lock.
  std::shared_ptr<const Outcome> before;
  State& state = *state_;
  const std::lock_guard lock(state.mutex);
  if (std::ranges::equal(requests, state.requested, {}, {}, &State::RequestedPass::request)) return;
  released = std::exchange(state.requested, {});
  for (Request& request : requests) {
    const auto known = std::ranges::find(released, request, &State::RequestedPass::request);
    if (known != released.end()) {
      state.requested.push_back(*known);
      continue;
    }
    Outcome refusal{std::move(request), nullptr,
                    "not enough memory: shorten the sentence, or close other programs"};
    state.requested.push_back({std::make_shared<const Outcome>(std::move(refusal)), nullptr, false});
  }
  if (const auto& first = state.requested.front(); first.is_answered)
    before = std::exchange(state.latest, first.outcome);
  const State::RequestedPass* next = state.open();
  if (next == nullptr || state.running == next->request()) return;
  // If only the sentence differs, the weights that are being drawn serve the new request as well. Otherwise
  // typing would keep a large model from ever being drawn.
  if (!state.running || !same_weights(*state.running, next->request())) state.stale.weights = true;
  state.stale.pass = true;
  state.thread.submit([&state] { return state.slice(); });
}

std::shared_ptr<const Outcome> Worker::latest() const {
  const std::lock_guard lock(state_->mutex);
  State::refuse_if_changed(state_->latest);
  return state_->latest;
}

std::shared_ptr<const Outcome> Worker::outcome(const Request& request) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = std::ranges::find(state_->requested, request, &State::RequestedPass::request);
  if (found == state_->requested.end()) return nullptr;
  State::refuse_if_changed(found->outcome);
  return found->outcome;
}

int Worker::n_threads() const {
  return state_->engine.n_threads();
}

bool Worker::busy() const {
  const std::lock_guard lock(state_->mutex);
  return state_->open() != nullptr;
}

}  // namespace headscope
