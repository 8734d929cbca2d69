#include <filesystem>
#include <memory>
#include <ostream>
#include <string>

#include "app/cli/commands.h"
#include "app/cli/figure_output.h"
#include "app/cli/figure_session.h"
#include "app/cli/option_values.h"
#include "app/cli/training.h"
#include "core/engine/training_job.h"
#include "core/page/film.h"
#include "core/split_text.h"
#include "core/system/signals.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

/// Reads --seconds, --fps and --steps.
Result<FilmOptions> film_options(const CommandOptions& o) {
  constexpr double shortest = 0.1;
  constexpr double longest = 30.0;
  constexpr int max_pictures = 50;
  constexpr int max_steps = 1'000'000;
  FilmOptions film;
  if (o.film_seconds) {
    const auto seconds = parse_decimal_number("--seconds", *o.film_seconds, shortest, longest);
    if (!seconds) return tl::unexpected(seconds.error());
    film.seconds = *seconds;
  }
  if (o.film_rate) {
    const auto rate = parse_whole_number("--fps", *o.film_rate, 1, max_pictures);
    if (!rate) return tl::unexpected(rate.error());
    film.rate = *rate;
  }
  if (!o.film_steps) return film;
  const auto ends = split_text(*o.film_steps, '-');
  constexpr std::size_t max_ends = 2;
  const auto first = parse_whole_number("--steps", std::string(ends.front()), 1, max_steps);
  const auto last = parse_whole_number("--steps", std::string(ends.back()), 1, max_steps);
  if (!first || !last || ends.size() > max_ends)
    return invalid_value("--steps", *o.film_steps, "give one step, or the first and the last, as in 3-7");
  film.first = *first;
  film.last = *last;
  return film;
}

/// Trains the model of a session from random weights to the end of its training. Returns what the run found,
/// with its snapshots.
Result<std::shared_ptr<const TrainingProgress>> trained(const Session& session) try {
  if (!can_train(session))
    return usage_error(
        "a film of the page train needs a model that can be trained: add --task, or leave --model out");
  SignalWatch signals;
  ThreadPool pool;
  auto job =
      TrainingJob::make(training_run(session, 1), session.training, pool, signals.shutdown_requested(), 0.0);
  if (!job) return tl::unexpected(job.error());
  TrainProgress line(session.training.steps);
  while (!(*job)->is_done()) {
    (*job)->slice();
    if (!(*job)->is_in_step()) line.show((*job)->steps(), [] { return std::string(); });
  }
  line.end();
  if ((*job)->has_diverged())
    return failure("the training diverged: lower training.learning_rate with --set");
  return (*job)->progress(TrainingState::finished);
} catch (const TrainingStopped&) {
  return failure("the training was stopped");
}

/// The inputs of the film's pictures. The page train shows a training, which is carried out first.
Result<PageInputs> inputs_of_film(const CommandOptions& o, Session session, const FigureOutput& output) {
  if (session.view != PageName::train) return inputs_of_output(o, session, output);
  const auto progress = trained(session);
  if (!progress) return tl::unexpected(progress.error());
  session.model = (*progress)->newest;
  return inputs_of_output(o, session, output).map([&](PageInputs shown) {
    shown.training = *progress;
    return shown;
  });
}

}  // namespace

Result<void> run_film(const CommandOptions& o, std::ostream& out) {
  const auto film = film_options(o);
  if (!film) return tl::unexpected(film.error());
  const fs::path path = o.out.value_or("");
  if (auto ok = check_film_file(path, o.is_transparent); !ok) return ok;
  if (o.diagram) return usage_error("--diagram cannot be filmed: leave it out, or use “headscope render”");
  const auto session = figure_session(o, files());
  if (!session) return tl::unexpected(session.error());
  CommandOptions picture = o;
  picture.out = "film.png";
  auto output = figure_output(picture, *session, session->view);
  if (!output) return tl::unexpected(output.error());
  if (output->size.page && *output->size.page != session->view)
    return usage_error("a film shows a page of the window: choose another --page");
  if (!o.scale) output->size.scale = 1;
  const auto shown = inputs_of_film(o, *session, *output);
  if (!shown) return tl::unexpected(shown.error());
  return film_of_page(*shown, output->size, compute_trace).and_then([&](const FilmSteps& steps) {
    return write_film(steps, output->size.scale, *film, path, out);
  });
}

}  // namespace headscope
