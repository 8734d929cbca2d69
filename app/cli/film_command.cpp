#include "app/cli/film_command.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "app/cli/commands.h"
#include "app/cli/figure_output.h"
#include "app/cli/figure_session.h"
#include "app/cli/option_values.h"
#include "app/cli/training.h"
#include "core/engine/training_job.h"
#include "core/page/film.h"
#include "core/paint/png_file.h"
#include "core/split_text.h"
#include "core/system/atomic_file.h"
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

/// Writes each picture as a numbered PNG into a folder, which must not exist or be empty.
Result<void> write_pictures(const FilmSteps& steps, int scale, const FilmOptions& film,
                            const std::shared_ptr<FontFaces>& fonts, const fs::path& path,
                            const FilmProgress& progress) {
  auto folder = AtomicFolder::create(path);
  if (!folder) return tl::unexpected(folder.error());
  int number = 0;
  const FrameSink take = [&](const Image& image, int /*milliseconds*/) {
    constexpr std::size_t digits = 5;
    const std::string number_text = std::to_string(++number);
    const std::string name = std::string(digits - std::min(digits, number_text.size()), '0') + number_text;
    return write_png(image, folder->staging() / ("frame-" + name + ".png"), {{"Software", "headscope"}});
  };
  if (auto drawn = draw_film(steps, scale, film, fonts, take, progress); !drawn)
    return folder->failed(drawn.error());
  return folder->commit();
}

/// Trains the model of a session from random weights to the end of its training. Returns what the run found,
/// with its snapshots.
Result<std::shared_ptr<const TrainingProgress>> trained(const Session& session) try {
  const auto corpus = corpus_of(session.model);
  const auto task = parse_task_name(session.task);
  const bool has_text = corpus != nullptr && corpus->is_open();
  if (!task && !has_text)
    return usage_error(
        "a film of the page train needs a model that can be trained: add --task, or leave --model out");
  SignalWatch signals;
  ThreadPool pool;
  const TrainingRun run{task.value_or(TaskKind::pronouns), session.architecture, 1,
                        has_text ? corpus : nullptr};
  auto job = TrainingJob::make(run, session.training, pool, signals.shutdown_requested(), 0.0);
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

Result<void> check_film_file(const fs::path& path, bool is_transparent) {
  const std::string ending = path.extension();
  if (path.empty() || path == "-" || (ending != ".webp" && ending != ".gif" && !ending.empty()))
    return invalid_value(
        "--out", path.string(),
        "the name must end in .webp or .gif, or be that of a folder for PNGs, without an ending");
  if (ending == ".gif" && is_transparent)
    return usage_error("--transparent and .gif cannot be combined: use .webp, or leave --transparent out");
  std::error_code unknown;
  if (path.has_parent_path() && !fs::is_directory(path.parent_path(), unknown))
    return failure("there is no folder '" + path.parent_path().string() + "': make it first");
  if (!ending.empty() || !fs::exists(path, unknown)) return {};
  if (!fs::is_directory(path, unknown))
    return failure("'" + path.string() + "' is a file: choose another name");
  if (is_empty_folder(path)) return {};
  return failure("'" + path.string() + "' is not empty: choose a new or an empty folder");
}

Result<void> write_film(const FilmSteps& steps, int scale, const FilmOptions& film, const fs::path& path,
                        std::ostream& out) {
  const auto fonts = FontFaces::open_installed();
  if (!fonts) return tl::unexpected(fonts.error());
  std::optional<TrainProgress> line;
  const FilmProgress progress = [&line](int drawn, int all) {
    if (!line) line.emplace(all, 0, "picture");
    line->show(drawn, [] { return std::string(); });
    return true;
  };
  Result<void> written;
  if (path.extension().empty()) {
    written = write_pictures(steps, scale, film, *fonts, path, progress);
  } else {
    const FilmType type = path.extension() == ".gif" ? FilmType::gif : FilmType::webp;
    written = film_bytes(steps, scale, film, type, *fonts, progress).and_then([&](const std::string& bytes) {
      return write_atomically(path, bytes);
    });
  }
  if (line) line->end();
  if (written) out << path.string() << '\n';
  return written;
}

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
