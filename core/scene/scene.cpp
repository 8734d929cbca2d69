#include "core/scene/scene.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace headscope {
namespace {

using Kind = TrainingCommand::Kind;

/// Training that takes at most this many seconds starts without confirmation.
constexpr double max_seconds_unconfirmed = 5.0;
/// The number of trained models to keep.
constexpr std::size_t max_trained = 16;

bool is_of(const TrainingPlan& plan, const Session& session) {
  if (!plan.run || plan.run->architecture != session.architecture) return false;
  return plan.run->corpus ? plan.run->corpus == corpus_of(session.model)
                          : task(plan.run->task).name() == session.task;
}

/// Suspends the current run before it is replaced or left.
void remember_run(TrainingPlan& plan) {
  auto known = std::exchange(plan.restored, std::nullopt);
  if (!plan.run) return;
  if (plan.progress && plan.progress->newest) known = {plan.progress, plan.follows};
  if (!known || known->known->steps == 0) return;
  plan.suspended.push_back(*known);
  if (plan.suspended.size() > TrainingWorker::max_suspended) plan.suspended.erase(plan.suspended.begin());
}

void begin(TrainingPlan& plan, const Session& session, Kind kind, Effects& effects) {
  if (!can_train(session)) return;
  remember_run(plan);
  plan.progress.reset();
  plan.follows = true;
  plan.run = training_run(session, ++plan.attempts);
  plan.sent_settings = session.training;
  effects.emplace_back(TrainingCommand{kind, *plan.run, session.training, max_seconds_unconfirmed});
}

void adjust(TrainingPlan& plan, const Session& session, Effects& effects) {
  if (plan.sent_settings == session.training) return;
  plan.sent_settings = session.training;
  effects.emplace_back(TrainingCommand{.kind = Kind::adjust, .settings = session.training});
}

/// The run of this process that produced these weights. Empty if none did.
std::optional<int> attempt_of(const ModelRef& model) {
  const auto* source = model ? std::get_if<TaskSource>(&model->source) : nullptr;
  // A text is opened with weights of no run.
  return source == nullptr || source->run == 0 ? std::nullopt : std::optional(source->run);
}

}  // namespace

ModelRef known_weights(const TrainingPlan& plan, const Session& session) {
  if (!parse_task_name(session.task) || plan.run) return nullptr;
  const auto read = plan.bundled.find(session.task);
  if (read != plan.bundled.end() && read->second &&
      read->second->model.architecture == session.architecture) {
    return read->second;
  }
  const auto found = std::ranges::find_if(plan.trained, [&](const TrainingPlan::Trained& trained) {
    return trained.model->task == session.task && trained.settings == session.training &&
           trained.model->model.architecture == session.architecture;
  });
  return found == plan.trained.end() ? nullptr : found->model;
}

void reconcile_training(TrainingPlan& plan, const Session& session, Effects& effects) {
  if (plan.run && !is_of(plan, session)) suspend_training(plan, effects);
  if (!can_train(session)) return;
  if (plan.run) return adjust(plan, session, effects);
  if (session.model || known_weights(plan, session)) return;
  if (plan.bundled.contains(session.task)) return begin(plan, session, Kind::start, effects);
  if (plan.loading == session.task) return;
  plan.loading = session.task;
  effects.emplace_back(ReadBundled{session.task});
}

void apply_progress(TrainingPlan& plan, const std::shared_ptr<const TrainingProgress>& progress) {
  if (!progress || !plan.run || progress->run != *plan.run) return;
  plan.progress = progress;
  if (progress->state == TrainingState::discarded) {
    plan.run.reset();
    plan.progress.reset();
    return;
  }
  const bool is_of_settings = progress->settings && progress->steps == progress->settings->steps;
  if (progress->state != TrainingState::finished || !is_of_settings || !progress->newest) return;
  const ModelRef model = progress->newest;
  const auto same = [&](const TrainingPlan::Trained& trained) { return trained.model == model; };
  if (std::ranges::any_of(plan.trained, same)) return;
  plan.trained.push_back({model, *progress->settings});
  if (plan.trained.size() > max_trained) plan.trained.pop_front();
}

bool starts_from_scratch(const TrainingPlan& plan, const Session& session) {
  if (!can_train(session)) return false;
  const auto& now = plan.progress;
  return !is_of(plan, session) ||
         (now && (now->state == TrainingState::diverged || now->state == TrainingState::refused));
}

void toggle_training(TrainingPlan& plan, const Session& session, Effects& effects) {
  plan.follows = true;
  if (starts_from_scratch(plan, session)) {
    reset_training(plan, session, effects);
    effects.emplace_back(TrainingCommand{.kind = Kind::resume});
    return;
  }
  adjust(plan, session, effects);
  const bool is_running = plan.progress && plan.progress->state == TrainingState::running;
  effects.emplace_back(TrainingCommand{.kind = is_running ? Kind::pause : Kind::resume});
}

void step_training(TrainingPlan& plan, const Session& session, Effects& effects) {
  plan.follows = true;
  if (starts_from_scratch(plan, session)) reset_training(plan, session, effects);
  effects.emplace_back(TrainingCommand{.kind = Kind::step});
}

void reset_training(TrainingPlan& plan, const Session& session, Effects& effects) {
  begin(plan, session, Kind::prepare, effects);
}

void suspend_training(TrainingPlan& plan, Effects& effects) {
  if (!plan.run) return;
  remember_run(plan);
  plan.run.reset();
  plan.progress.reset();
  effects.emplace_back(TrainingCommand{.kind = Kind::suspend});
}

void resume_matching_run(TrainingPlan& plan, const Session& session, Effects& effects) {
  if (!session.model) return;
  const auto attempt = attempt_of(session.model);
  if (attempt && plan.run && plan.run->attempt == *attempt) return;
  if (!attempt && corpus_of(session.model) && is_of(plan, session)) return;
  suspend_training(plan, effects);
  const auto again = std::ranges::find_if(plan.suspended, [&](const TrainingPlan::Suspended& old) {
    return attempt && old.known->run.attempt == *attempt;
  });
  if (again == plan.suspended.end()) return;
  plan.run = again->known->run;
  plan.follows = again->follows;
  plan.sent_settings = session.training;
  plan.restored = *again;
  plan.suspended.erase(again);
  effects.emplace_back(
      TrainingCommand{.kind = Kind::restore, .run = *plan.run, .settings = session.training});
}

}  // namespace headscope
