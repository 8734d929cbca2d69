#include "core/engine/training_job.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/checkpoint/language_model.h"
#include "core/engine/opening.h"
#include "core/engine/text_training.h"
#include "core/engine/writing.h"
#include "core/system/machine_memory.h"
#include "core/train/trainer.h"

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;

TrainOptions options_of(const TrainingRun& run, const TrainingSettings& settings) {
  TrainOptions options = run.corpus ? default_text_plan().options : training_recipe(run.task).options;
  options.batch_size = settings.batch_size;
  options.adam.learning_rate = settings.learning_rate;
  options.adam.decay_steps = settings.steps;
  options.seed = run.architecture.seed;
  return options;
}

constexpr double bytes_of_kept = 256.0 * (1U << 20U);
/// The minimum number of snapshots in memory: the fewest that are kept, one more while thinning out, the
/// newest, and the one on the screen.
constexpr double min_snapshots = 5.0;
constexpr int n_evaluations = 40;
/// The minimum of steps between evaluations, so that short runs do more than evaluate.
constexpr int min_between = 10;
constexpr int n_held_out = 256;

/// The accuracy on the first part of the task. NaN if a batch has no row that asks for it.
double accuracy_of(const Score& score) {
  return score.rows[0] == 0 ? std::numeric_limits<double>::quiet_NaN() : score.accuracy(0);
}

/// Snapshots spread over the steps from the start, so that few have to be dropped.
SnapshotHistory kept_of_run(const Architecture& architecture, int steps) {
  const double fit = bytes_of_kept / std::max(model_bytes(architecture), 1.0);
  const double most = std::clamp(fit, 2.0, static_cast<double>(TrainingProgress::max_kept));
  const int n_after_first = static_cast<int>(most) - 1;
  return SnapshotHistory(static_cast<std::size_t>(most),
                         std::max(1, (steps + n_after_first - 1) / n_after_first));
}

/// The weighted mean of two numbers. If one of them is NaN, the other one.
double mean_of(double a, double weight_a, double b, double weight_b) {
  if (std::isnan(a)) return b;
  return std::isnan(b) ? a : (a * weight_a + b * weight_b) / (weight_a + weight_b);
}

}  // namespace

void TrainingCurve::add(const TrainingPoint& point) {
  if (n_in_last_point_ == steps_per_point_) n_in_last_point_ = 0;
  if (n_in_last_point_ == 0) {
    points_.push_back(point);
  } else {
    TrainingPoint& last = points_.back();
    last = {point.step, mean_of(last.loss, n_in_last_point_, point.loss, 1.0),
            mean_of(last.accuracy, n_in_last_point_, point.accuracy, 1.0)};
  }
  ++n_in_last_point_;
  if (points_.size() < max_points || n_in_last_point_ < steps_per_point_) return;
  for (std::size_t i = 0; i < points_.size() / 2; ++i) {
    const TrainingPoint& a = points_[2 * i];
    const TrainingPoint& b = points_[2 * i + 1];
    points_[i] = {b.step, mean_of(a.loss, 1.0, b.loss, 1.0), mean_of(a.accuracy, 1.0, b.accuracy, 1.0)};
  }
  points_.resize(points_.size() / 2);
  steps_per_point_ *= 2;
  n_in_last_point_ = steps_per_point_;
}

Result<std::unique_ptr<Trainer>> make_trainer(const ExampleSource& source, const Architecture& architecture,
                                              const TrainOptions& options, ThreadPool& pool,
                                              double bytes_beside) {
  if (auto ok = validate(architecture); !ok) return tl::unexpected(ok.error());
  if (auto ok = check_memory(training_bytes(source, architecture, options, pool.size()) + bytes_beside,
                             "training a model of this size",
                             "use fewer layers, a smaller d_model or d_ff, or a smaller batch");
      !ok) {
    return tl::unexpected(ok.error());
  }
  return Trainer::make(source, architecture, options, pool);
}

Result<std::unique_ptr<TrainingJob>> TrainingJob::make(const TrainingRun& run,
                                                       const TrainingSettings& settings, ThreadPool& pool,
                                                       const std::atomic<bool>& stop, double bytes_beside) {
  const TrainOptions options = options_of(run, settings);
  std::shared_ptr<const TextExamples> text;
  if (run.corpus) {
    const auto n_drawn =
        static_cast<std::size_t>(settings.steps) * static_cast<std::size_t>(settings.batch_size);
    text = std::make_shared<const TextExamples>(examples_of(*run.corpus, run.architecture, n_drawn));
  }
  const ExampleSource& source = text ? static_cast<const ExampleSource&>(*text) : task(run.task);
  const double of_snapshots = std::max(bytes_of_kept, min_snapshots * model_bytes(run.architecture));
  auto trainer = make_trainer(source, run.architecture, options, pool, of_snapshots + bytes_beside);
  if (!trainer) return tl::unexpected(trainer.error());
  (*trainer)->set_stop_flag(stop);
  if (text) (*trainer)->set_parameters(initial_parameters((*trainer)->layout()));
  const double bytes = training_bytes(source, run.architecture, options, pool.size()) + of_snapshots;
  return std::unique_ptr<TrainingJob>(
      new TrainingJob(run, settings, std::move(text), std::move(*trainer), bytes));
}

TrainingJob::TrainingJob(const TrainingRun& run, const TrainingSettings& settings,
                         std::shared_ptr<const TextExamples> text, std::unique_ptr<Trainer> trainer,
                         double bytes)
    : run_(run),
      settings_(settings),
      text_(std::move(text)),
      trainer_(std::move(trainer)),
      layout_(std::make_shared<const ParameterLayout>(trainer_->layout())),
      bytes_(bytes),
      kept_(kept_of_run(run.architecture, settings.steps)) {
  kept_.keep(snapshot());
}

void TrainingJob::set_settings(const TrainingSettings& settings) {
  if (settings == settings_) return;
  settings_changed_ = settings_changed_ || trainer_->steps() > 0;
  settings_ = settings;
  trainer_->set_options(options_of(run_, settings));
}

bool TrainingJob::slice() try {
  const auto start = Clock::now();
  if (!step_) step_ = step_slices();
  const bool has_more = step_->next();
  seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
  if (has_more) return true;
  step_.reset();
  if (trainer_->steps() == 1) first_step_seconds_ = seconds_;
  return false;
} catch (...) {
  step_.reset();
  throw;
}

/// Continues the example of the text with the present weights.
Slices<WrittenSample> TrainingJob::sample_slices() const {
  constexpr int n_words = 48;
  Session session;
  session = reduce(session, opening_action(snapshot()));
  session.sampling = {.greedy = false, .temperature = 0.7F};
  Writing writing(session, n_words);
  WrittenSample sample{trainer_->steps(), {}};
  if (!writing.begin()) co_return sample;
  for (auto added = writing.next(); added && *added; added = writing.next()) {
    sample.text += **added;
    co_yield 0.0;
  }
  co_return sample;
}

Slices<std::monostate> TrainingJob::step_slices() {
  if (text_ && samples_.empty()) {
    Slices<WrittenSample> writing = sample_slices();
    while (writing.next()) co_yield writing.share();
    samples_.push_back(writing.take());
  }
  if (!is_evaluation_due_) {
    Slices<StepReport> learning = trainer_->step_slices();
    while (learning.next()) co_yield learning.share();
    const StepReport report = learning.take();
    diverged_ = report.diverged;
    if (diverged_) co_return std::monostate();
    const int steps = trainer_->steps();
    last_score_ = report.score;
    train_.add({steps, report.score.loss, accuracy_of(report.score)});
    if (kept_.accepts(steps)) kept_.keep(snapshot());
    is_evaluation_due_ =
        steps % std::max(settings_.steps / n_evaluations, min_between) == 0 || steps >= settings_.steps;
  }
  if (is_evaluation_due_) {
    std::optional<WrittenSample> sample;
    if (text_) {
      Slices<WrittenSample> writing = sample_slices();
      while (writing.next()) co_yield writing.share();
      sample = writing.take();
    }
    // The end of a short text may be too short to predict anything in it.
    if (!text_ || text_->n_ids(Split::held_out) > 0) {
      Slices<Score> evaluating = trainer_->evaluation_slices(Split::held_out, n_held_out);
      while (evaluating.next()) co_yield evaluating.share();
      const Score score = evaluating.take();
      held_out_.push_back({trainer_->steps(), score.loss, accuracy_of(score)});
    }
    if (sample) samples_.push_back(std::move(*sample));
    is_evaluation_due_ = false;
  }
  co_return std::monostate();
}

/// The time for all steps, including those left. The first step, which warms up, is not counted.
double TrainingJob::total_seconds() const {
  const int n = trainer_->steps();
  if (n < 2) return seconds_ * settings_.steps;
  return (seconds_ - first_step_seconds_) / (n - 1) * settings_.steps;
}

std::shared_ptr<const TrainedModel> TrainingJob::snapshot() const {
  if (run_.corpus)
    return trained_model(*layout_, trainer_->parameters(), trainer_->steps(), run_.corpus, run_.attempt);
  const Task& task = headscope::task(run_.task);
  const bool is_measured = !held_out_.empty() && held_out_.back().step == trainer_->steps();
  const auto accuracy = is_measured ? std::optional<double>(held_out_.back().accuracy) : std::nullopt;
  return std::make_shared<const TrainedModel>(
      TrainedModel{"", std::string(task.name()), trainer_->steps(), 0, 0, trainer_->model(),
                   task.vocabulary(), accuracy, TaskSource{std::string(task.name()), run_.attempt}});
}

std::shared_ptr<const TrainingProgress> TrainingJob::progress(TrainingState state) const {
  auto progress = std::make_shared<TrainingProgress>();
  progress->run = run_;
  progress->state = state;
  if (!settings_changed_) progress->settings = settings_;
  progress->steps = trainer_->steps();
  progress->total_steps = settings_.steps;
  progress->seconds = seconds_;
  const int left = std::max(settings_.steps - trainer_->steps(), 0);
  progress->seconds_left = total_seconds() * left / settings_.steps;
  progress->train = train_.points();
  progress->held_out = held_out_;
  progress->samples = samples_;
  if (last_score_) {
    for (std::size_t p = 0; p < last_score_->rows.size(); ++p)
      progress->parts.push_back(last_score_->mean(p));
  }
  progress->kept = kept_.all();
  progress->newest = progress->kept.back()->steps == trainer_->steps() ? progress->kept.back() : snapshot();
  progress->layout = layout_;
  if (trainer_->steps() > 0) {
    const auto gradients = trainer_->gradients();
    progress->gradients = std::make_shared<const std::vector<float>>(gradients.begin(), gradients.end());
  }
  if (diverged_) {
    progress->problem = "The loss grew instead of falling. The weights shown are those after step " +
                        std::to_string(trainer_->steps()) +
                        ", the last good ones: choose a smaller learning rate and start again";
  }
  return progress;
}

}  // namespace headscope
