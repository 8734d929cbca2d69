#include "app/shell/training_control.h"

#include <utility>

namespace headscope {
namespace {

/// A change that is learned within so many seconds is learned without asking.
constexpr double most_seconds_unasked = 5.0;

}  // namespace

bool TrainingControl::is_of(const Session& session) const {
  return run_ && task(run_->task).name() == session.task && run_->architecture == session.architecture;
}

std::optional<TrainingRun> TrainingControl::new_run(const Session& session) {
  const auto kind = task_named(session.task);
  if (!kind) return std::nullopt;
  follows_ = true;
  run_ = TrainingRun{*kind, session.architecture, ++attempts_};
  return run_;
}

std::shared_ptr<const TrainedModel> TrainingControl::weights_for(const Session& session) {
  const auto kind = task_named(session.task);
  if (run_ && !is_of(session)) forget();
  if (!kind) return nullptr;
  if (run_) {
    worker_.set_settings(session.training);
    const auto now = progress();
    if (!now || !now->newest) return nullptr;
    const bool is_of_settings = now->settings && now->steps == now->settings->steps;
    if (now->state == TrainingState::finished && is_of_settings) shelf_.keep(now->newest, *now->settings);
    const bool shows_it = session.model == now->newest;
    return shows_it || (session.model && !follows_) ? nullptr : now->newest;
  }
  if (session.model) return nullptr;
  if (auto kept = shelf_.find(*kind, session.architecture, session.training)) return kept;
  if (const auto run = new_run(session)) worker_.start(*run, session.training, most_seconds_unasked);
  return nullptr;
}

std::shared_ptr<const TrainingProgress> TrainingControl::progress() const {
  auto latest = run_ ? worker_.latest() : nullptr;
  return latest && latest->run == *run_ ? latest : nullptr;
}

bool TrainingControl::settled(const Session& session) const {
  if (!task_named(session.task) || (!run_ && session.model)) return true;
  const auto now = progress();
  if (!now) return false;
  return now->state == TrainingState::running || !now->newest || !follows_ || session.model == now->newest;
}

void TrainingControl::toggle(const Session& session) {
  const auto now = progress();
  follows_ = true;
  if (is_of(session)) worker_.set_settings(session.training);
  if (!is_of(session) || !now || now->state == TrainingState::diverged) {
    reset(session);
    worker_.resume();
  } else if (now->state == TrainingState::running) {
    worker_.pause();
  } else {
    worker_.resume();
  }
}

void TrainingControl::step(const Session& session) {
  follows_ = true;
  if (!is_of(session)) reset(session);
  worker_.step();
}

void TrainingControl::reset(const Session& session) {
  if (const auto run = new_run(session)) worker_.prepare(*run, session.training);
}

void TrainingControl::forget() {
  worker_.forget();
  run_.reset();
}

}  // namespace headscope
