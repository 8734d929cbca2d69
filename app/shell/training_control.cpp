#include "app/shell/training_control.h"

#include <algorithm>
#include <utility>

namespace headscope {
namespace {

/// A change that is learned within so many seconds is learned without asking.
constexpr double most_seconds_unasked = 5.0;

bool found(const TrainingProgress& progress, const std::shared_ptr<const TrainedModel>& model) {
  return progress.newest == model || std::ranges::find(progress.kept, model) != progress.kept.end();
}

}  // namespace

bool TrainingControl::is_of(const Session& session) const {
  return run_ && task(run_->task).name() == session.task && run_->architecture == session.architecture;
}

std::optional<TrainingRun> TrainingControl::new_run(const Session& session) {
  const auto kind = task_named(session.task);
  if (!kind) return std::nullopt;
  remember_run();
  follows_ = true;
  run_ = TrainingRun{*kind, session.architecture, ++attempts_};
  return run_;
}

void TrainingControl::note_origin(const std::shared_ptr<const TrainedModel>& model) {
  std::erase_if(origins_, [](const Origin& origin) { return origin.model.expired(); });
  const bool is_noted = !origins_.empty() && origins_.back().model.lock() == model;
  if (run_ && !is_noted) origins_.push_back({model, *run_});
}

void TrainingControl::look_back(const std::shared_ptr<const TrainedModel>& snapshot) {
  note_origin(snapshot);
  follows_ = false;
}

/// Before another takes its place.
void TrainingControl::remember_run() {
  const auto now = progress();
  if (!now || !now->newest) return;
  if (now->steps > 0) suspended_.push_back({now, follows_});
  if (suspended_.size() > TrainingWorker::most_suspended) suspended_.erase(suspended_.begin());
}

std::shared_ptr<const TrainedModel> TrainingControl::weights_for(const Session& session) {
  const auto kind = task_named(session.task);
  if (run_ && !is_of(session)) leave();
  if (!kind) return nullptr;
  if (run_) {
    worker_.set_settings(session.training);
    const auto now = progress();
    if (now && now->state == TrainingState::discarded) run_.reset();
    if (!now || !now->newest) return nullptr;
    const bool is_of_settings = now->settings && now->steps == now->settings->steps;
    if (now->state == TrainingState::finished && is_of_settings) shelf_.keep(now->newest, *now->settings);
    if (session.model == now->newest || (session.model && !follows_)) return nullptr;
    note_origin(now->newest);
    return now->newest;
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

bool TrainingControl::begins_anew(const Session& session) const {
  if (!task_named(session.task)) return false;
  const auto now = progress();
  return !is_of(session) ||
         (now && (now->state == TrainingState::diverged || now->state == TrainingState::refused));
}

void TrainingControl::toggle(const Session& session) {
  follows_ = true;
  if (begins_anew(session)) {
    reset(session);
    return worker_.resume();
  }
  worker_.set_settings(session.training);
  const auto now = progress();
  if (now && now->state == TrainingState::running) {
    worker_.pause();
  } else {
    worker_.resume();
  }
}

void TrainingControl::step(const Session& session) {
  follows_ = true;
  if (begins_anew(session)) reset(session);
  worker_.step();
}

void TrainingControl::reset(const Session& session) {
  if (const auto run = new_run(session)) worker_.prepare(*run, session.training);
}

void TrainingControl::leave() {
  if (!run_) return;
  remember_run();
  worker_.leave();
  run_.reset();
}

std::optional<TrainingRun> TrainingControl::run_of(const std::shared_ptr<const TrainedModel>& model) const {
  const auto origin =
      std::ranges::find_if(origins_, [&](const Origin& o) { return o.model.lock() == model; });
  if (origin != origins_.end()) return origin->run;
  const auto now = progress();
  if (now && found(*now, model)) return now->run;
  const auto again =
      std::ranges::find_if(suspended_, [&](const Suspended& old) { return found(*old.known, model); });
  return again == suspended_.end() ? std::nullopt : std::optional(again->known->run);
}

void TrainingControl::find_again(const Session& session) {
  if (!session.model) return;
  const auto run = run_of(session.model);
  if (run && run == run_) return;
  leave();
  const auto again =
      std::ranges::find_if(suspended_, [&](const Suspended& old) { return run && old.known->run == *run; });
  if (again == suspended_.end()) return;
  run_ = run;
  follows_ = again->follows;
  suspended_.erase(again);
  worker_.restore(*run_, session.training);
}

}  // namespace headscope
