#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "app/cli/commands.h"
#include "app/cli/model_option.h"
#include "app/cli/option_values.h"
#include "app/cli/session_options.h"
#include "app/cli/train_text.h"
#include "app/cli/training.h"
#include "core/caught.h"
#include "core/checkpoint/bundled_models.h"
#include "core/checkpoint/model_folder.h"
#include "core/engine/showing_head.h"
#include "core/engine/training_job.h"
#include "core/system/atomic_file.h"
#include "core/system/signals.h"
#include "core/text/number_text.h"
#include "core/train/task_models.h"
#include "core/train/trainer.h"
#include "core/train/training_settings.h"

namespace headscope {
namespace {

/// The number of models in memory at the end besides the trainer's: the one that is measured and written, and
/// its numbers.
constexpr double models_in_training = 2.0;

/// The checked options.
struct Plan {
  const Task* task = nullptr;
  TaskModel model;
};

Result<const Task*> wanted_task(const CommandOptions& o) {
  const auto given = o.text(setting("task"));
  if (!given) return usage_error("train needs --task (" + joined_with_or(task_names()) + ") or --text FILE");
  const auto kind = task_named(*given);
  if (!kind) return wrong_value("--task", *given, "choose " + joined_with_or(task_names()));
  return &task(*kind);
}

Result<Plan> plan_of(const CommandOptions& o) {
  const auto wanted = wanted_task(o);
  if (!wanted) return tl::unexpected(wanted.error());
  if (auto ok = check_new_model(o); !ok) return tl::unexpected(ok.error());
  if (o.has(setting("output_words")))
    return usage_error("train does not take --output-words: the task has its own words");
  Plan plan{*wanted, task_model((*wanted)->kind())};
  const auto architecture = architecture_of(o, plan.model.architecture);
  if (!architecture) return tl::unexpected(architecture.error());
  plan.model.architecture = *architecture;
  plan.model.options.seed = architecture->seed;
  if (auto ok = read_training(o, plan.model); !ok) return tl::unexpected(ok.error());
  return plan;
}

void say_held_out(const Task& task, const Score& score, int n, std::ostream& out) {
  out << "held out, " << n << " sentences: loss " << number_text(score.loss, 3)
      << " nats; accuracy and nats: ";
  for (std::size_t p = 0; p < task.parts().size(); ++p) {
    out << (p == 0 ? "" : ", ") << task.parts()[p].name << ' ' << percent(score.accuracy(p)) << ' '
        << number_text(score.mean(p), 3);
  }
  out << '\n';
}

/// Finds the head that the window opens on.
Result<void> find_head(const std::shared_ptr<TrainedModel>& model, std::ostream& out) {
  const auto found = showing_head(model);
  if (!found) return tl::unexpected(found.error());
  model->layer = found->layer;
  model->head = found->head;
  out << "layer " << found->layer << ", head " << found->head << " shows " << found->text << '\n';
  return {};
}

/// The folder of the model to be written. It is removed again if nothing was written into it.
class OutFolder {
 public:
  static Result<std::unique_ptr<OutFolder>> make(const std::filesystem::path& path) {
    const auto is_new = make_model_folder(path);
    if (!is_new) return tl::unexpected(is_new.error());
    return std::unique_ptr<OutFolder>(new OutFolder(path, *is_new));
  }
  ~OutFolder() {
    std::error_code error;
    if (is_new_ && is_empty()) std::filesystem::remove(path_, error);
  }
  OutFolder(const OutFolder&) = delete;
  OutFolder& operator=(const OutFolder&) = delete;

  bool is_empty() const { return is_empty_folder(path_); }
  /// Describes the outcome of a training run without a result.
  std::string untouched() const {
    return is_empty() ? "nothing was written" : "the model in " + path_.string() + " is unchanged";
  }

 private:
  OutFolder(std::filesystem::path path, bool is_new) : path_(std::move(path)), is_new_(is_new) {}
  std::filesystem::path path_;
  bool is_new_;
};

/// Trains until all steps are done or the loss diverges. Returns whether it diverged.
bool train(const Task& task, Trainer& trainer, int steps, TrainProgress& progress) {
  for (int step = 1; step <= steps; ++step) {
    const StepReport report = trainer.step();
    if (report.diverged) return true;
    progress.show(step, [&] {
      return "loss " + fixed(report.score.loss, 3) + " nats  " + task.parts().front().name + " " +
             percent(report.score.accuracy(0));
    });
  }
  return false;
}

Error divergence(const Plan& plan, const std::string& outcome) {
  return Error{Error::Kind::failure,
               "training diverged: the loss grew instead of falling; " + outcome +
                   "; try a --learning-rate below " +
                   number_text(static_cast<double>(plan.model.options.adam.learning_rate))};
}

Result<void> train_into(const Plan& plan, const std::string& name, std::ostream& out) {
  const Task& task = *plan.task;
  TaskPool pool;
  if (auto ok = check_trainable(task, plan.model.architecture); !ok) return tl::unexpected(ok.error());
  auto made = make_trainer(task, plan.model.architecture, plan.model.options, pool,
                           models_in_training * model_bytes(plan.model.architecture));
  if (!made) return tl::unexpected(made.error());
  Trainer& trainer = **made;
  const InterruptWatch interrupts;
  trainer.stop_on(interrupts.flag());
  const auto folder = OutFolder::make(name);
  if (!folder) return tl::unexpected(folder.error());
  out << task.name() << ": " << trainer.layout().size << " parameters, "
      << vocabulary_words(task.vocabulary()) << ", " << pool.size()
      << (pool.size() == 1 ? " thread\n" : " threads\n") << std::flush;

  TrainProgress progress(plan.model.steps);
  try {
    const bool diverged = train(task, trainer, plan.model.steps, progress);
    progress.end();
    const double seconds = progress.seconds();
    // Poor weights must not replace an existing model.
    if (diverged && (trainer.steps() == 0 || !(*folder)->is_empty())) {
      return tl::unexpected(divergence(plan, (*folder)->untouched()));
    }
    constexpr int n_held_out = 2000;
    const Score held_out = trainer.evaluate(Split::held_out, n_held_out);
    const auto model = std::make_shared<TrainedModel>(
        TrainedModel{name, std::string(task.name()), trainer.steps(), 0, 0, trainer.model(),
                     task.vocabulary(), held_out.accuracy(0), TaskSource{std::string(task.name()), 1}});
    say_held_out(task, held_out, n_held_out, out);
    auto head_found = find_head(model, out);
    if (interrupts.flag()) throw TrainingStopped{};
    const bool replaces = !(*folder)->is_empty();
    if (auto ok = save_model(name, *model); !ok) return ok;
    if (!head_found) return head_found;
    out << fixed(seconds, 1) << " s, " << fixed(1000.0 * seconds / std::max(trainer.steps(), 1), 2)
        << " ms per step; written to " << name << (replaces ? ", replacing the model there\n" : "\n");
    if (is_bundled(name)) {
      out << "open it with --model ./" << name << ": " << name << " alone opens the bundled model\n";
    }
    if (!diverged) return {};
    return tl::unexpected(divergence(plan, "the weights written are those after step " +
                                               std::to_string(model->steps) + ", the last good ones"));
  } catch (const TrainingStopped&) {
    progress.end();
    return failure("stopped after step " + std::to_string(trainer.steps()) + " of " +
                   std::to_string(plan.model.steps) + ": " + (*folder)->untouched());
  }
}

}  // namespace

Result<void> run_train(const CommandOptions& o, std::ostream& out) try {
  if (trains_on_text(o)) return train_on_text(o, out);
  const auto plan = plan_of(o);
  if (!plan) return tl::unexpected(plan.error());
  return train_into(*plan, *o.out, out);
} catch (...) {
  return failure(caught_text("use fewer layers, a smaller d_model or d_ff, or a smaller --batch-size"));
}

}  // namespace headscope
