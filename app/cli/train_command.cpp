#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "app/cli/commands.h"
#include "app/cli/model_option.h"
#include "app/cli/option_values.h"
#include "app/cli/progress.h"
#include "app/cli/session_options.h"
#include "core/caught.h"
#include "core/checkpoint/model_folder.h"
#include "core/engine/head_study.h"
#include "core/engine/text_training.h"
#include "core/engine/training_job.h"
#include "core/system/atomic_file.h"
#include "core/system/process.h"
#include "core/system/signals.h"
#include "core/text/number_text.h"
#include "core/text/utf8.h"
#include "core/train/trainer.h"
#include "core/train/training_settings.h"

namespace headscope {
namespace {

/// The models in memory at the end besides the trainer's: the one that is measured and written, and its
/// numbers.
constexpr double models_in_training = 2.0;

/// Fails unless the options name a folder for a model that starts from random weights, or from another model
/// that is trained on a text.
void check_new_model(const CommandOptions& o) {
  if (!o.has("--out")) refuse(usage_error("train needs --out, the folder to write the model to"));
  if (o.has("--preset")) refuse(usage_error("train does not take --preset: it starts from random weights"));
  if (o.has(setting("model")) && o.texts("--text").empty())
    refuse(usage_error("train takes --model only with --text: a task is learned from random weights"));
}

/// Reads the training settings: those of `model`, with the changes that the options make.
void read_training(const CommandOptions& o, TrainingRecipe& model) {
  TrainOptions& options = model.options;
  Session session;
  session.training = {model.steps, options.batch_size, options.adam.learning_rate};
  session.attention.dropout = options.dropout;
  for (const char* prefix : {"training.", "attention.dropout"}) read_settings(o, prefix, session);
  model.steps = session.training.steps;
  options.batch_size = session.training.batch_size;
  options.adam.learning_rate = session.training.learning_rate;
  options.adam.decay_steps = model.steps;
  options.dropout = session.attention.dropout;
  if (const auto decay = o.text("--weight-decay"))
    options.adam.weight_decay =
        static_cast<float>(parse_decimal_number("--weight-decay", *decay, 0.0, 1.0).value());
}

/// A share from 0 to 1 as a percentage: "99.9 %".
std::string percent(double share) {
  return fixed(100.0 * share, 1) + " %";
}

const Task& requested_task(const CommandOptions& o) {
  const auto given = o.text(setting("task"));
  if (!given) refuse(usage_error("train needs --task (" + joined_with_or(task_names()) + ") or --text FILE"));
  const auto kind = parse_task_name(*given);
  if (!kind) refuse(invalid_value("--task", *given, "choose " + joined_with_or(task_names())));
  return task(*kind);
}

TrainingRecipe recipe_of(const CommandOptions& o, const Task& task) {
  check_new_model(o);
  if (o.has(setting("output_words")))
    refuse(usage_error("train does not take --output-words: the task has its own words"));
  TrainingRecipe recipe = training_recipe(task.kind());
  recipe.architecture = architecture_of(o, recipe.architecture);
  recipe.options.seed = recipe.architecture.seed;
  read_training(o, recipe);
  return recipe;
}

void print_held_out(const Task& task, const Score& score, int n, std::ostream& out) {
  out << "held out, " << n << " sentences: loss " << number_text(score.loss, 3)
      << " nats; accuracy and nats: ";
  for (std::size_t p = 0; p < task.parts().size(); ++p) {
    out << (p == 0 ? "" : ", ") << task.parts()[p].name << ' ' << percent(score.accuracy(p)) << ' '
        << number_text(score.mean(p), 3);
  }
  out << '\n';
}

/// Finds the head that the window opens on.
void find_head(const std::shared_ptr<TrainedModel>& model, std::ostream& out) {
  const RepresentativeHead found = representative_head(model).value();
  model->layer = found.layer;
  model->head = found.head;
  out << "layer " << found.layer << ", head " << found.head << " shows " << found.text << '\n';
}

/// The folder of the model to be written. It is removed again if nothing was written into it.
class OutFolder {
 public:
  OutFolder(std::filesystem::path path, bool is_new) : path_(std::move(path)), is_new_(is_new) {}
  ~OutFolder() {
    std::error_code error;
    if (is_new_ && is_empty()) std::filesystem::remove(path_, error);
  }
  OutFolder(const OutFolder&) = delete;
  OutFolder& operator=(const OutFolder&) = delete;

  bool is_empty() const { return is_empty_folder(path_); }
  /// The message about a training run without a result.
  std::string no_result_text() const {
    return is_empty() ? "nothing was written" : "the model in " + path_.string() + " is unchanged";
  }

 private:
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

/// Fails because the loss grew. `outcome` says what was written.
[[noreturn]] void refuse_diverged(const TrainOptions& options, const std::string& outcome) {
  refuse(failure("training diverged: the loss grew instead of falling; " + outcome +
                 "; try a --learning-rate below " +
                 number_text(static_cast<double>(options.adam.learning_rate))));
}

void train_into(const Task& task, const TrainingRecipe& recipe, const std::string& name, std::ostream& out) {
  SignalWatch signals;
  ThreadPool pool;
  const auto made = make_trainer(task, recipe.architecture, recipe.options, pool,
                                 models_in_training * model_bytes(recipe.architecture))
                        .value();
  Trainer& trainer = *made;
  trainer.set_stop_flag(signals.shutdown_requested());
  const OutFolder folder(name, make_model_folder(name).value());
  out << task.name() << ": " << trainer.layout().size << " parameters, "
      << describe_vocabulary(task.vocabulary()) << ", " << pool.size()
      << (pool.size() == 1 ? " thread\n" : " threads\n") << std::flush;

  TrainProgress progress(recipe.steps);
  try {
    const bool diverged = train(task, trainer, recipe.steps, progress);
    progress.end();
    const double seconds = progress.seconds();
    // Poor weights must not replace an existing model.
    if (diverged && (trainer.steps() == 0 || !folder.is_empty()))
      refuse_diverged(recipe.options, folder.no_result_text());
    constexpr int n_held_out = 2000;
    const Score held_out = trainer.evaluate(Split::held_out, n_held_out);
    const auto model = std::make_shared<TrainedModel>(
        TrainedModel{name, std::string(task.name()), trainer.steps(), 0, 0, trainer.model(),
                     task.vocabulary(), held_out.accuracy(0), TaskSource{std::string(task.name()), 1}});
    print_held_out(task, held_out, n_held_out, out);
    const auto head_found = result_of([&] { find_head(model, out); });
    if (signals.shutdown_requested()) throw TrainingStopped{};
    const bool replaces = !folder.is_empty();
    ensure(save_model(name, *model));
    ensure(head_found);
    out << fixed(seconds, 1) << " s, " << fixed(1000.0 * seconds / std::max(trainer.steps(), 1), 2)
        << " ms per step; written to " << name << (replaces ? ", replacing the model there\n" : "\n");
    if (is_bundled(name)) {
      out << "open it with --model ./" << name << ": " << name << " alone opens the bundled model\n";
    }
    if (diverged)
      refuse_diverged(recipe.options, "the weights written are those after step " +
                                          std::to_string(model->steps) + ", the last good ones");
  } catch (const TrainingStopped&) {
    progress.end();
    refuse(failure("stopped after step " + std::to_string(trainer.steps()) + " of " +
                   std::to_string(recipe.steps) + ": " + folder.no_result_text()));
  }
}

constexpr int max_context = 8192;

/// The options that a run keeps from its beginning.
void check_continued(const CommandOptions& o) {
  const auto changes_run = [](const auto& given) {
    return given.first != "--text" && given.first != "--held-out" && given.first != "--out";
  };
  const auto given = std::ranges::find_if(o.values, changes_run);
  if (given == o.values.end()) return;
  refuse(usage_error(std::string(given->first) +
                     " cannot be combined with --continue: the run keeps its options"));
}

/// The sizes of the model. Everything else is as in a Llama model, because it is written as one.
Architecture sizes_of(const CommandOptions& o) {
  const Architecture usual = default_text_plan().architecture;
  Architecture base = usual;
  base.n_kv_heads.reset();
  base.d_head.reset();
  Architecture sizes = architecture_of(o, base);
  if (const auto context = o.text("--context"))
    sizes.foreign.context = parse_whole_number("--context", *context, 8, max_context).value();
  const Architecture as_written = llama_architecture(sizes);
  Architecture wanted = sizes;
  wanted.n_kv_heads = sizes.kv_heads(no_layer);
  wanted.d_head = sizes.head_width(no_layer);
  if (as_written == wanted && sizes.d_ff > 0) return as_written;
  refuse(usage_error(
      "a model that is trained on a text is written as a Llama model, so only its sizes can be chosen: --layers, --d-model, --heads, --kv-heads, --d-head, --d-ff, --pieces and --context, and --output-layer tied or linear"));
}

/// Starts from another model, whose sizes and vocabulary the run inherits.
void start_from(const std::string& model, const CommandOptions& o, TextPlan& plan) {
  Architecture usual = default_text_plan().architecture;
  usual.seed = plan.architecture.seed;
  if (!(plan.architecture == usual) || o.has("--pieces") || o.has("--context"))
    refuse(usage_error("--model brings its own sizes, pieces and context: leave out the options for them"));
  const std::filesystem::path folder = model_folder(model, bundled_model_folders()).value();
  std::error_code unknown;
  if (std::filesystem::equivalent(folder, *o.text("--out"), unknown))
    refuse(usage_error("--out and --model are the same folder: choose another for the new model"));
  plan.base_model = std::filesystem::absolute(folder, unknown).lexically_normal();
  if (!plan.base_model.has_filename()) plan.base_model = plan.base_model.parent_path();
  // The default rate would soon destroy what the model knows.
  plan.options.adam.learning_rate /= 10.0F;
}

TextPlan text_plan_of(const CommandOptions& o) {
  TextPlan plan = default_text_plan();
  plan.architecture = sizes_of(o);
  plan.options.seed = plan.architecture.seed;
  if (const auto model = o.text(setting("model"))) start_from(*model, o, plan);
  TrainingRecipe model{plan.architecture, plan.options, plan.steps};
  read_training(o, model);
  plan.options = model.options;
  plan.steps = model.steps;
  if (plan.options.dropout > 0.0F)
    refuse(usage_error("--dropout and --text cannot be combined: a run on a text has no dropout"));
  if (o.text("--pieces") == "words") {
    plan.kind = PieceKind::whole_words;
    constexpr int usual_words = 8192;
    plan.n_pieces = usual_words;
  } else if (o.has("--pieces")) {
    plan.n_pieces =
        parse_whole_number("--pieces", *o.text("--pieces"), 2 * first_text_piece, max_trained_pieces).value();
  }
  return plan;
}

std::string sentence_about(const TextTraining& run, const TextScore& score) {
  const Corpus& corpus = run.corpus();
  std::string sentence = "Trained on " + count_text(corpus.n_documents, "document") + " of " + corpus.name;
  if (score.n_characters > 0)
    sentence += "; it predicts documents that it never saw with " + fixed(score.bits_per_character, 3) +
                " bits per character";
  const std::filesystem::path& before = run.plan().base_model;
  if (!before.empty()) sentence += ", and began as " + valid_utf8(before.filename().string());
  return sentence + ".";
}

/// Trains until all steps are done, and writes a checkpoint from time to time. Returns whether it diverged.
bool run_steps(TextTraining& run, const std::filesystem::path& folder, const std::string& about,
               TrainProgress& progress) {
  constexpr double between_checkpoints = 120.0;
  const int begun = run.steps();
  double last_checkpoint = 0.0;
  while (!run.is_done()) {
    const StepReport report = run.step();
    if (report.diverged) return true;
    progress.show(run.steps(), [&] {
      const double rows = static_cast<double>(run.steps() - begun) * report.score.rows[0];
      return "loss " + fixed(report.score.mean(0), 3) + " nats  " + fixed(rows / progress.seconds(), 0) +
             " pieces/s";
    });
    if (progress.seconds() - last_checkpoint < between_checkpoints || run.is_done()) continue;
    last_checkpoint = progress.seconds();
    ensure(run.save(folder, about));
  }
  return false;
}

/// Whether the options describe a run on a text instead of a task.
bool trains_on_text(const CommandOptions& o) {
  return !o.texts("--text").empty() || !o.texts("--held-out").empty() || o.has("--pieces") ||
         o.has("--context") || o.is_on("--continue");
}

/// Trains a model on a text and writes its folder. A run that is interrupted leaves its last checkpoint.
void train_on_text(const CommandOptions& o, std::ostream& out) {
  if (o.texts("--text").empty()) refuse(usage_error("training on a text needs --text FILE"));
  if (o.has(setting("task")))
    refuse(usage_error("--task and --text cannot be combined: choose one to train on"));
  check_new_model(o);
  TextSources loader;
  loader.files.assign(o.texts("--text").begin(), o.texts("--text").end());
  loader.held_out.assign(o.texts("--held-out").begin(), o.texts("--held-out").end());
  if (o.is_on("--continue")) check_continued(o);
  const TextPlan plan = text_plan_of(o);
  ensure(check_model_folder(*o.text("--out"), WrittenModel::of_text));
  std::error_code unknown;
  if (!o.is_on("--continue") &&
      std::filesystem::exists(std::filesystem::path(*o.text("--out")) / training_state_name, unknown))
    refuse(usage_error("'" + *o.text("--out") +
                       "' holds a run that was interrupted: add --continue, or choose another folder"));
  SignalWatch signals;
  ThreadPool pool;
  const auto made = (o.is_on("--continue")
                         ? TextTraining::resume(*o.text("--out"), loader, pool, signals.shutdown_requested())
                         : TextTraining::make(loader, plan, pool, signals.shutdown_requested()))
                        .value();
  TextTraining& run = *made;
  const TextExamples& examples = run.examples();
  out << count_text(run.corpus().n_documents, "document") << ", " << examples.n_ids(Split::train)
      << (run.corpus().is_of_characters ? " pieces, single characters because the text is short," : " pieces")
      << " from a vocabulary of " << run.corpus().pieces.pieces.size()
      << "; held out: " << examples.n_ids(Split::held_out) << "\n"
      << run.trainer().layout().size << " parameters, " << run.plan().steps << " steps of "
      << run.plan().options.batch_size << " windows of up to " << examples.max_length() << " pieces, "
      << static_cast<double>(run.plan().steps) * run.plan().options.batch_size /
             static_cast<double>(examples.n_windows())
      << " times through the text, " << pool.size() << (pool.size() == 1 ? " thread\n" : " threads\n")
      << std::flush;
  const std::string unfinished = "Not fully trained: this is a checkpoint.";
  TrainProgress progress(run.plan().steps, run.steps());
  try {
    const auto diverged = result_of([&] { return run_steps(run, *o.text("--out"), unfinished, progress); });
    progress.end();
    if (diverged.value())
      refuse_diverged(run.plan().options, "nothing was written since the last checkpoint");
    const TextScore score = run.evaluate();
    ensure(run.save(*o.text("--out"), sentence_about(run, score)));
    if (score.n_characters > 0)
      out << "held out, " << score.n_characters << " characters: " << fixed(score.bits_per_character, 4)
          << " bits per character, " << fixed(score.nats_per_piece, 4) << " nats per piece\n";
    out << fixed(progress.seconds(), 1) << " s; written to " << *o.text("--out") << "\n";
  } catch (const TrainingStopped&) {
    signals.disable_timeout();
    progress.end();
    const std::string about = run.is_done() ? sentence_about(run, {}) : unfinished;
    ensure(run.save(*o.text("--out"), about));
    if (run.is_done())
      refuse(failure("stopped while measuring: the trained model is in " + *o.text("--out")));
    refuse(failure("stopped after step " + std::to_string(run.steps()) + " of " +
                   std::to_string(run.plan().steps) + ": the checkpoint is in " + *o.text("--out") +
                   "; the same command with --continue, without other options of training, goes on from it"));
  }
}

}  // namespace

void run_train(const CommandOptions& o, std::ostream& out) try {
  if (trains_on_text(o)) return train_on_text(o, out);
  const Task& task = requested_task(o);
  train_into(task, recipe_of(o, task), *o.text("--out"), out);
} catch (const tl::bad_expected_access<Error>&) {
  throw;
} catch (...) {
  refuse(failure(
      current_exception_message("use fewer layers, a smaller d_model or d_ff, or a smaller --batch-size")));
}

}  // namespace headscope
