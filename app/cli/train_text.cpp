#include "app/cli/train_text.h"

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>

#include "app/cli/option_values.h"
#include "app/cli/session_options.h"
#include "app/cli/training.h"
#include "core/checkpoint/bundled_models.h"
#include "core/checkpoint/model_folder.h"
#include "core/engine/text_training.h"
#include "core/system/model_places.h"
#include "core/system/signals.h"
#include "core/text/number_text.h"
#include "core/text/utf8.h"
#include "core/train/training_settings.h"

namespace headscope {
namespace {

constexpr int max_context = 8192;

/// The options that a run keeps from its beginning.
Result<void> check_continued(const CommandOptions& o) {
  const std::string_view given = !o.settings.empty() ? o.settings.begin()->first
                                 : o.pieces          ? "--pieces"
                                 : o.context         ? "--context"
                                 : o.weight_decay    ? "--weight-decay"
                                                     : "";
  if (given.empty()) return {};
  return usage_error(std::string(given) + " cannot be combined with --continue: the run keeps its options");
}

/// The sizes of the model. Everything else is as in a Llama model, because it is written as one.
Result<Architecture> sizes_of(const CommandOptions& o) {
  const Architecture usual = usual_text_plan().architecture;
  Architecture base = usual;
  base.n_kv_heads.reset();
  base.d_head.reset();
  auto sizes = architecture_of(o, base);
  if (!sizes) return sizes;
  if (o.context) {
    const auto context = whole_number("--context", *o.context, 8, max_context);
    if (!context) return tl::unexpected(context.error());
    sizes->foreign.context = *context;
  }
  Architecture as_written = llama_architecture(*sizes);
  Architecture wanted = *sizes;
  wanted.n_kv_heads = sizes->kv_heads();
  wanted.d_head = sizes->head_width();
  if (as_written == wanted && sizes->d_ff > 0) return as_written;
  return usage_error(
      "a model that is trained on a text is written as a Llama model, so only its sizes can be chosen: --layers, --d-model, --heads, --kv-heads, --d-head, --d-ff, --pieces and --context, and --output-layer tied or linear");
}

/// Begins with another model, whose sizes and pieces the run takes over.
Result<void> begin_with(const std::string& model, const CommandOptions& o, TextPlan& plan) {
  Architecture usual = usual_text_plan().architecture;
  usual.seed = plan.architecture.seed;
  if (!(plan.architecture == usual) || o.pieces || o.context)
    return usage_error("--model brings its own sizes, pieces and context: leave out the options for them");
  auto folder = model_folder(model, model_places());
  if (!folder) return tl::unexpected(folder.error());
  std::error_code unknown;
  if (std::filesystem::equivalent(*folder, *o.out, unknown))
    return usage_error("--out and --model are the same folder: choose another for the new model");
  plan.begins_with = std::filesystem::absolute(*folder, unknown).lexically_normal();
  if (!plan.begins_with.has_filename()) plan.begins_with = plan.begins_with.parent_path();
  // The usual rate would soon undo what the model knows.
  plan.options.adam.learning_rate /= 10.0F;
  return {};
}

Result<TextPlan> text_plan_of(const CommandOptions& o) {
  TextPlan plan = usual_text_plan();
  auto sizes = sizes_of(o);
  if (!sizes) return tl::unexpected(sizes.error());
  plan.architecture = *sizes;
  plan.options.seed = sizes->seed;
  if (const auto model = o.text(setting("model"))) {
    if (auto ok = begin_with(*model, o, plan); !ok) return tl::unexpected(ok.error());
  }
  TaskModel model{plan.architecture, plan.options, plan.steps};
  if (auto ok = read_training(o, model); !ok) return tl::unexpected(ok.error());
  plan.options = model.options;
  plan.steps = model.steps;
  if (plan.options.dropout > 0.0F)
    return usage_error("--dropout and --text cannot be combined: a run on a text has no dropout");
  if (o.pieces == "words") {
    plan.kind = PieceKind::whole_words;
    constexpr int usual_words = 8192;
    plan.n_pieces = usual_words;
  } else if (o.pieces) {
    const auto n = whole_number("--pieces", *o.pieces, 2 * first_text_piece, max_trained_pieces);
    if (!n) return tl::unexpected(n.error());
    plan.n_pieces = *n;
  }
  return plan;
}

std::string sentence_about(const TextTraining& run, const TextScore& score) {
  const Corpus& corpus = run.corpus();
  std::string sentence = "Trained on " + counted(corpus.n_documents, "document") + " of " + corpus.name;
  if (score.n_characters > 0)
    sentence += "; it predicts documents that it never saw with " + fixed(score.bits_per_character, 3) +
                " bits per character";
  const std::filesystem::path& before = run.plan().begins_with;
  if (!before.empty()) sentence += ", and began as " + valid_utf8(before.filename().string());
  return sentence + ".";
}

/// Trains until all steps are done, and writes a checkpoint from time to time. Returns whether it diverged.
Result<bool> run_steps(TextTraining& run, const std::filesystem::path& folder, const std::string& about,
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
    if (auto saved = run.save(folder, about); !saved) return tl::unexpected(saved.error());
  }
  return false;
}

}  // namespace

bool trains_on_text(const CommandOptions& o) {
  return !o.training_texts.empty() || !o.held_out_texts.empty() || o.pieces || o.context || o.continues;
}

Result<void> train_on_text(const CommandOptions& o, std::ostream& out) {
  if (o.training_texts.empty()) return usage_error("training on a text needs --text FILE");
  if (o.has(setting("task")))
    return usage_error("--task and --text cannot be combined: choose one to train on");
  if (auto ok = check_new_model(o); !ok) return ok;
  TextSources sources;
  sources.files.assign(o.training_texts.begin(), o.training_texts.end());
  sources.held_out.assign(o.held_out_texts.begin(), o.held_out_texts.end());
  if (o.continues) {
    if (auto ok = check_continued(o); !ok) return ok;
  }
  const auto plan = text_plan_of(o);
  if (!plan) return tl::unexpected(plan.error());
  if (auto ok = check_model_folder(*o.out, WrittenModel::of_text); !ok) return ok;
  std::error_code unknown;
  if (!o.continues && std::filesystem::exists(std::filesystem::path(*o.out) / training_state_name, unknown))
    return usage_error("'" + *o.out +
                       "' holds a run that was interrupted: add --continue, or choose another folder");
  TaskPool pool;
  const InterruptWatch interrupts;
  auto made = o.continues ? TextTraining::resume(*o.out, sources, pool, interrupts.flag())
                          : TextTraining::make(sources, *plan, pool, interrupts.flag());
  if (!made) return tl::unexpected(made.error());
  TextTraining& run = **made;
  const TextExamples& examples = run.examples();
  out << counted(run.corpus().n_documents, "document") << ", " << examples.n_ids(Split::train)
      << " pieces of " << run.corpus().pieces.pieces.size()
      << " different ones; held out: " << examples.n_ids(Split::held_out) << "\n"
      << run.trainer().layout().size << " parameters, " << run.plan().steps << " steps of "
      << run.plan().options.batch_size << " windows of up to " << examples.longest() << " pieces, "
      << static_cast<double>(run.plan().steps) * run.plan().options.batch_size /
             static_cast<double>(examples.n_windows())
      << " times through the text, " << pool.size() << (pool.size() == 1 ? " thread\n" : " threads\n")
      << std::flush;
  const std::string unfinished = "Not fully trained: this is a checkpoint.";
  TrainProgress progress(run.plan().steps, run.steps());
  try {
    const auto diverged = run_steps(run, *o.out, unfinished, progress);
    progress.end();
    if (!diverged) return tl::unexpected(diverged.error());
    if (*diverged)
      return failure(
          "training diverged: the loss grew instead of falling; nothing was written since the last checkpoint; try a --learning-rate below " +
          number_text(static_cast<double>(run.plan().options.adam.learning_rate)));
    const TextScore score = run.evaluate();
    if (auto saved = run.save(*o.out, sentence_about(run, score)); !saved) return saved;
    if (score.n_characters > 0)
      out << "held out, " << score.n_characters << " characters: " << fixed(score.bits_per_character, 4)
          << " bits per character, " << fixed(score.nats_per_piece, 4) << " nats per piece\n";
    out << fixed(progress.seconds(), 1) << " s; written to " << *o.out << "\n";
    return {};
  } catch (const TrainingStopped&) {
    progress.end();
    const std::string about = run.is_done() ? sentence_about(run, {}) : unfinished;
    if (auto saved = run.save(*o.out, about); !saved) return saved;
    if (run.is_done()) return failure("stopped while measuring: the trained model is in " + *o.out);
    return failure("stopped after step " + std::to_string(run.steps()) + " of " +
                   std::to_string(run.plan().steps) + ": the checkpoint is in " + *o.out +
                   "; the same command with --continue, without other options of training, goes on from it");
  }
}

}  // namespace headscope
