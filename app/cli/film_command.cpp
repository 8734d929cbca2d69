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
#include "core/page/film.h"
#include "core/paint/png_file.h"
#include "core/split_text.h"
#include "core/system/atomic_file.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

/// Reads --seconds, --fps and --steps.
Result<FilmOptions> film_options(const CommandOptions& o) {
  constexpr double shortest = 0.1;
  constexpr double longest = 30.0;
  constexpr int most_pictures = 50;
  constexpr int most_steps = 1'000'000;
  FilmOptions film;
  if (o.film_seconds) {
    const auto seconds = decimal_number("--seconds", *o.film_seconds, shortest, longest);
    if (!seconds) return tl::unexpected(seconds.error());
    film.seconds = *seconds;
  }
  if (o.film_rate) {
    const auto rate = whole_number("--fps", *o.film_rate, 1, most_pictures);
    if (!rate) return tl::unexpected(rate.error());
    film.rate = *rate;
  }
  if (!o.film_steps) return film;
  const auto ends = split_text(*o.film_steps, '-');
  constexpr std::size_t most_ends = 2;
  const auto first = whole_number("--steps", std::string(ends.front()), 1, most_steps);
  const auto last = whole_number("--steps", std::string(ends.back()), 1, most_steps);
  if (!first || !last || ends.size() > most_ends)
    return wrong_value("--steps", *o.film_steps, "give one step, or the first and the last, as in 3-7");
  film.first = *first;
  film.last = *last;
  return film;
}

/// Writes each picture as a numbered PNG into a folder, which must not exist or be empty.
Result<void> write_pictures(const PageInputs& shown, const FigureSize& size, const FilmOptions& film,
                            const std::shared_ptr<FontFaces>& fonts, const fs::path& path,
                            const FilmProgress& progress) {
  auto folder = AtomicFolder::create(path);
  if (!folder) return tl::unexpected(folder.error());
  int number = 0;
  const TakePicture take = [&](const Image& image, int /*milliseconds*/) {
    constexpr std::size_t digits = 5;
    const std::string counted = std::to_string(++number);
    const std::string name = std::string(digits - std::min(digits, counted.size()), '0') + counted;
    return write_png(image, folder->apart() / ("frame-" + name + ".png"), {{"Software", "headscope"}});
  };
  if (auto drawn = draw_film(shown, size, film, fonts, take, progress); !drawn)
    return folder->failed(drawn.error());
  return folder->commit();
}

/// Fails for files and folders that cannot be written, before anything is computed.
Result<void> check_place(const CommandOptions& o, const fs::path& path) {
  const std::string ending = path.extension();
  if (path.empty() || path == "-" || (ending != ".webp" && ending != ".gif" && !ending.empty()))
    return wrong_value(
        "--out", path.string(),
        "the name must end in .webp or .gif, or be that of a folder for PNGs, without an ending");
  if (ending == ".gif" && o.is_transparent)
    return usage_error("--transparent and .gif cannot be combined: use .webp, or leave --transparent out");
  std::error_code unknown;
  if (path.has_parent_path() && !fs::is_directory(path.parent_path(), unknown))
    return failure("there is no folder '" + path.parent_path().string() + "': make it first");
  if (!ending.empty() || !fs::exists(path, unknown)) return {};
  if (!fs::is_directory(path, unknown))
    return failure("'" + path.string() + "' is a file: choose another name");
  if (is_empty_folder(path)) return {};
  return failure("'" + path.string() + "' holds something: choose a new or an empty folder");
}

}  // namespace

Result<void> run_film(const CommandOptions& o, std::ostream& out) {
  const auto film = film_options(o);
  if (!film) return tl::unexpected(film.error());
  const fs::path path = o.out.value_or("");
  const std::string ending = path.extension();
  if (auto ok = check_place(o, path); !ok) return ok;
  if (o.diagram) return usage_error("--diagram is no film: leave it out, or use “headscope render”");
  const auto session = session_of_figure_options(o, files());
  if (!session) return tl::unexpected(session.error());
  CommandOptions picture = o;
  picture.out = "film.png";
  auto output = figure_output(picture, *session, session->view);
  if (!output) return tl::unexpected(output.error());
  if (output->size.page && *output->size.page != session->view)
    return usage_error("a film shows a page of the window: choose another --page");
  if (!o.scale) output->size.scale = 1;
  const auto shown = inputs_of_output(o, *session, *output);
  if (!shown) return tl::unexpected(shown.error());
  const auto fonts = FontFaces::open_installed();
  if (!fonts) return tl::unexpected(fonts.error());
  std::optional<TrainProgress> line;
  const FilmProgress progress = [&line](int drawn, int all) {
    if (!line) line.emplace(all, 0, "picture");
    line->show(drawn, [] { return std::string(); });
    return true;
  };
  Result<void> written;
  if (ending.empty()) {
    written = write_pictures(*shown, output->size, *film, *fonts, path, progress);
  } else {
    const FilmType type = ending == ".gif" ? FilmType::gif : FilmType::webp;
    written = film_bytes(*shown, output->size, *film, type, *fonts, progress)
                  .and_then([&](const std::string& bytes) { return write_atomically(path, bytes); });
  }
  if (line) line->end();
  if (written) out << path.string() << '\n';
  return written;
}

}  // namespace headscope
