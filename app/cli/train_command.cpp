#include <unistd.h>

#include <chrono>
#include <iomanip>
#include <iostream>
#include <sstream>

#include "app/cli/commands.h"
#include "app/cli/option_values.h"
#include "app/cli/session_options.h"
#include "core/checkpoint/bundled_models.h"
#include "core/checkpoint/model_folder.h"
#include "core/engine/showing_head.h"
#include "core/train/task_models.h"
#include "core/train/training_settings.h"

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string fixed(double number, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << number;
  return text.str();
}

std::string percent(double share) {
  return fixed(100.0 * share, 1) + " %";
}

/// What was asked for, checked.
struct Plan {
  const Task* task = nullptr;
  TaskModel model;
};

Result<const Task*> wanted_task(const CommandOptions& o) {
  if (!o.task) return usage_error("train needs --task: pronouns, copying or reversing");
  const auto kind = task_named(*o.task);
  if (!kind) return wrong_value("--task", *o.task, "there are pronouns, copying and reversing");
  return &task(*kind);
}

Result<Plan> plan_of(const CommandOptions& o) {
  const auto wanted = wanted_task(o);
  if (!wanted) return tl::unexpected(wanted.error());
  if (!o.out) return usage_error("train needs --out: the folder to write the model into");
  if (o.model || o.preset)
    return usage_error("train takes no --model and no --preset: it begins with random weights");
  Plan plan{*wanted, task_model((*wanted)->kind())};
  const auto architecture = architecture_of(o, plan.model.architecture);
  if (!architecture) return tl::unexpected(architecture.error());
  plan.model.architecture = *architecture;
  TrainOptions& options = plan.model.options;
  options.seed = architecture->seed;
  const auto whole = [](const char* option, const CommandOptions::Text& given, int& target,
                        int high) -> Result<void> {
    if (!given) return {};
    return whole_number(option, *given, 1, high).map([&target](int n) { target = n; });
  };
  const auto decimal = [](const char* option, const CommandOptions::Text& given, float& target, float low,
                          float high) -> Result<void> {
    if (!given) return {};
    return decimal_number(option, *given, low, high).map([&target](double n) {
      target = static_cast<float>(n);
    });
  };
  using Limits = TrainingLimits;
  for (const Result<void>& read :
       {whole("--steps", o.steps, plan.model.steps, Limits::max_steps),
        whole("--batch-size", o.batch_size, options.batch_size, Limits::max_batch_size),
        decimal("--learning-rate", o.learning_rate, options.adam.learning_rate, Limits::min_learning_rate,
                Limits::max_learning_rate),
        decimal("--weight-decay", o.weight_decay, options.adam.weight_decay, 0.0F, 1.0F),
        decimal("--dropout", o.dropout, options.dropout, 0.0F, max_dropout)}) {
    if (!read) return tl::unexpected(read.error());
  }
  options.adam.decay_steps = plan.model.steps;
  return plan;
}

/// How far it is: a line that renews itself on a terminal, else a line now and then.
class Progress {
 public:
  Progress(const Task& task, int steps) : task_(task), steps_(steps) {}

  void show(int step, const Score& score) {
    const int every = is_terminal_ ? 10 : std::max(steps_ / 10, 1);
    if (step % every != 0 && step != steps_) return;
    const double seconds = seconds_since(start_);
    std::ostringstream line;
    line << "step " << step << " of " << steps_ << "  loss " << fixed(score.loss, 3) << "  "
         << task_.parts().front().name << " " << percent(score.accuracy(0));
    if (step < steps_) line << "  " << fixed(seconds / step * (steps_ - step), 0) << " s left";
    if (is_terminal_) {
      std::cerr << '\r' << bar(step) << line.str() << "\x1b[K" << (step == steps_ ? "\n" : "") << std::flush;
    } else {
      std::cerr << line.str() << '\n';
    }
  }
  double seconds() const { return seconds_since(start_); }

 private:
  std::string bar(int step) const {
    constexpr int width = 24;
    std::string text;
    for (int i = 0; i < width; ++i) text += i * steps_ < step * width ? "█" : "░";
    return text + " ";
  }

  const Task& task_;
  int steps_;
  bool is_terminal_ = ::isatty(STDERR_FILENO) == 1;
  Clock::time_point start_ = Clock::now();
};

void say_held_out(const Task& task, const Score& score, int n, std::ostream& out) {
  out << "held out, " << n << " sentences:";
  for (std::size_t p = 0; p < task.parts().size(); ++p) {
    out << (p == 0 ? " " : ", ") << task.parts()[p].name << ' ' << percent(score.accuracy(p));
  }
  out << '\n';
}

/// The head that the window opens on.
Result<void> find_head(const std::shared_ptr<TrainedModel>& model, std::ostream& out) {
  const auto found = showing_head(model);
  if (!found) return tl::unexpected(found.error());
  model->layer = found->layer;
  model->head = found->head;
  out << "layer " << found->layer << ", head " << found->head << " shows " << found->text << '\n';
  return {};
}

}  // namespace

Result<void> run_train(const CommandOptions& o, std::ostream& out) {
  const auto plan = plan_of(o);
  if (!plan) return tl::unexpected(plan.error());
  if (auto ok = check_model_folder(*o.out); !ok) return ok;
  const Task& task = *plan->task;
  TaskPool pool;
  auto trainer = Trainer::make(task, plan->model.architecture, plan->model.options, pool);
  if (!trainer) return tl::unexpected(trainer.error());
  std::error_code error;
  std::filesystem::create_directories(*o.out, error);
  if (error) {
    return failure("cannot make the folder '" + *o.out + "': " + error.message() +
                   ": name one that you may write to");
  }
  out << task.name() << ": " << (*trainer)->layout().size << " parameters, " << task.vocabulary().size()
      << " words, " << pool.size() << (pool.size() == 1 ? " thread\n" : " threads\n") << std::flush;

  Progress progress(task, plan->model.steps);
  bool diverged = false;
  for (int step = 1; step <= plan->model.steps && !diverged; ++step) {
    const StepReport report = (*trainer)->step();
    diverged = report.diverged;
    progress.show(step, report.score);
  }
  const double seconds = progress.seconds();
  constexpr int n_held_out = 2000;
  const Score held_out = (*trainer)->evaluate(Split::held_out, n_held_out);
  const auto model = std::make_shared<TrainedModel>(
      TrainedModel{*o.out, std::string(task.name()), (*trainer)->steps(), 0, 0, (*trainer)->model(),
                   task.vocabulary(), held_out.accuracy(0)});
  say_held_out(task, held_out, n_held_out, out);
  auto head_found = find_head(model, out);
  if (auto ok = save_model(*o.out, *model); !ok) return ok;
  if (!head_found) return head_found;
  out << fixed(seconds, 1) << " s, " << fixed(1000.0 * seconds / plan->model.steps, 2)
      << " ms a step; written to " << *o.out << '\n';
  if (is_bundled(*o.out))
    out << "open it as --model ./" << *o.out << ": " << *o.out << " alone is the program's own\n";
  if (!diverged) return {};
  return failure(
      "training diverged: the loss grew instead of falling. What is written are the weights after step " +
      std::to_string(model->steps) + ", the last good ones; try a --learning-rate below " +
      fixed(static_cast<double>(plan->model.options.adam.learning_rate), 6));
}

}  // namespace headscope
