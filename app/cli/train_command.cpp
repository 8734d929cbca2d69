#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/model_option.h"
#include "app/cli/option_values.h"
#include "app/cli/session_options.h"
#include "app/cli/terminal.h"
#include "core/caught.h"
#include "core/checkpoint/bundled_models.h"
#include "core/checkpoint/model_folder.h"
#include "core/engine/showing_head.h"
#include "core/engine/training_job.h"
#include "core/io/temporary.h"
#include "core/trace/number_text.h"
#include "core/train/task_models.h"
#include "core/train/trainer.h"
#include "core/train/training_settings.h"

namespace headscope {
namespace {

/// Shows the progress of training on standard error: on a terminal, a line that updates itself; otherwise, a
/// line from time to time.
class TrainProgress {
 public:
  TrainProgress(const Task& task, int steps);

  void show(int step, const Score& score);
  /// Ends the updating line, so that whatever is printed next starts on a new line.
  void end();
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  std::string bar(int step) const;

  const Task& task_;
  int steps_;
  bool is_terminal_;
  bool line_is_open_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = start_;
};

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

/// A number with `digits` digits after the decimal point.
std::string fixed(double number, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << number;
  return text.str();
}

/// A share from 0 to 1 as a percentage: "99.9 %".
std::string percent(double share) {
  return fixed(100.0 * share, 1) + " %";
}

TrainProgress::TrainProgress(const Task& task, int steps)
    : task_(task), steps_(steps), is_terminal_(error_is_terminal()) {}

void TrainProgress::show(int step, const Score& score) {
  constexpr double renew_seconds = 0.1;
  constexpr double line_seconds = 10.0;
  const auto now = Clock::now();
  const double since_last = seconds_between(shown_, now);
  const bool is_due = is_terminal_ ? step == 1 || since_last >= renew_seconds
                                   : step % std::max(steps_ / 10, 1) == 0 || since_last >= line_seconds;
  if (!is_due && step != steps_) return;
  shown_ = now;
  std::ostringstream line;
  line << "step " << step << " of " << steps_ << "  loss " << fixed(score.loss, 3) << " nats  "
       << task_.parts().front().name << " " << percent(score.accuracy(0));
  if (step < steps_) line << "  " << fixed(seconds() / step * (steps_ - step), 0) << " s left";
  if (is_terminal_) {
    std::cerr << '\r' << bar(step) << line.str() << "\x1b[K" << std::flush;
    line_is_open_ = true;
  } else {
    std::cerr << line.str() << '\n';
  }
}

void TrainProgress::end() {
  if (line_is_open_) std::cerr << '\n';
  line_is_open_ = false;
}

double TrainProgress::seconds() const {
  return seconds_between(start_, Clock::now());
}

std::string TrainProgress::bar(int step) const {
  constexpr int width = 24;
  std::string text;
  for (int i = 0; i < width; ++i) text += i * steps_ < step * width ? "█" : "░";
  return text + " ";
}

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
  if (!given) return usage_error("train needs --task: " + joined_with_or(task_names()));
  const auto kind = task_named(*given);
  if (!kind) return wrong_value("--task", *given, "choose " + joined_with_or(task_names()));
  return &task(*kind);
}

/// Reads the training settings: those of the task, with the changes that the options make.
Result<void> read_training(const CommandOptions& o, TaskModel& model) {
  TrainOptions& options = model.options;
  Session session;
  session.training = {model.steps, options.batch_size, options.adam.learning_rate};
  session.attention.dropout = options.dropout;
  for (const char* prefix : {"training.", "attention.dropout"}) {
    auto read = with_settings(o, prefix, std::move(session));
    if (!read) return tl::unexpected(read.error());
    session = std::move(*read);
  }
  model.steps = session.training.steps;
  options.batch_size = session.training.batch_size;
  options.adam.learning_rate = session.training.learning_rate;
  options.adam.decay_steps = model.steps;
  options.dropout = session.attention.dropout;
  if (!o.weight_decay) return {};
  return decimal_number("--weight-decay", *o.weight_decay, 0.0, 1.0).map([&](double decay) {
    options.adam.weight_decay = static_cast<float>(decay);
  });
}

Result<Plan> plan_of(const CommandOptions& o) {
  const auto wanted = wanted_task(o);
  if (!wanted) return tl::unexpected(wanted.error());
  if (!o.out) return usage_error("train needs --out, the folder to write the model to");
  if (o.has(setting("model")) || o.preset)
    return usage_error("train does not take --model or --preset: it starts from random weights");
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
bool train(Trainer& trainer, int steps, TrainProgress& progress) {
  for (int step = 1; step <= steps; ++step) {
    const StepReport report = trainer.step();
    if (report.diverged) return true;
    progress.show(step, report.score);
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

  TrainProgress progress(task, plan.model.steps);
  try {
    const bool diverged = train(trainer, plan.model.steps, progress);
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
  const auto plan = plan_of(o);
  if (!plan) return tl::unexpected(plan.error());
  return train_into(*plan, *o.out, out);
} catch (...) {
  return failure(caught_text("use fewer layers, a smaller d_model or d_ff, or a smaller --batch-size"));
}

}  // namespace headscope
