#include "core/engine/training_worker.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "core/engine/training_worker_state.h"

namespace headscope {

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
