#include "app/shell/exporter.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include "app/cli/session_command.h"
#include "app/shell/files.h"
#include "core/caught.h"
#include "core/checkpoint/model_folder.h"
#include "core/checkpoint/saved_session.h"
#include "core/engine/engine.h"
#include "core/engine/export.h"
#include "core/engine/head_study.h"
#include "core/figure/pages.h"
#include "core/model/parameters.h"
#include "core/model/trained_model.h"
#include "core/page/figure_file.h"
#include "core/page/film.h"
#include "core/page/worksheet/worksheet_page.h"
#include "core/paint/png_file.h"
#include "core/paint/rasterize.h"
#include "core/system/atomic_file.h"
#include "core/system/process.h"
#include "core/text/number_text.h"
#include "core/text/visible.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

/// The stage whose numbers are exported.
StageId stage_to_export(const Session& session) {
  StageId stage = session.selection.at(exported_stage(session));
  if (session.view == PageName::positions) stage.attention = AttentionKind::self;
  return normalized(stage);
}

/// Turns a message into a sentence for the window, without the options in parentheses such as “(--cover)”,
/// which the window's controls do not have.
std::string sentence_without_options(const std::string& message) {
  std::string text = message;
  for (std::size_t at = text.find(" (--"); at != std::string::npos; at = text.find(" (--", at)) {
    const std::size_t end = text.find(')', at);
    text.erase(at, end == std::string::npos ? end : end + 1 - at);
  }
  if (text.empty()) return text;
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text.ends_with('.') ? text : text + ".";
}

/// The command that draws what is shown, one option on each line, after a comment that names what it leaves
/// out.
std::string command_text(const ExportJob& job) {
  const Session& session = job.shown.session;
  const SessionCommand command =
      command_of(session, export_name(session, {.kind = ExportKind::figure, .folder = {}}), " \\\n  ");
  std::string comment;
  for (const std::string& name : command.left_out)
    comment += (comment.empty() ? "# Left out: " : "; ") + name;
  comment = visible_controls(comment);
  std::ranges::replace(comment, '\n', ' ');
  return (comment.empty() ? "" : comment + "\n") + command.text + "\n";
}

/// The inputs of the requested figure: in its colours and, for a worksheet, with its exercise.
PageInputs inputs_of_export(const ExportJob& job) {
  PageInputs shown = job.shown;
  if (job.request.theme) shown.session.picture.theme = *job.request.theme;
  // Without --page, render draws the explorer's stage, which is the map alone.
  if (job.request.kind == ExportKind::map) shown.session.view = PageName::explore;
  if (job.request.kind == ExportKind::worksheet)
    shown.session = with_exercise(std::move(shown.session), job.request.exercise, shown.trace.get());
  return shown;
}

/// The size of a figure, and whether it shows the explorer's whole page.
FigureSize size_of_figure(const Session& shown, const ExportRequest& request) {
  const PixelSize& sides = request.paper_dimensions;
  const bool is_worksheet = request.kind == ExportKind::worksheet;
  FigureSize size = is_worksheet ? worksheet_size : shown_figure(shown).default_size();
  if (sides.width > 0 && sides.height > 0) {
    size.width = sides.width;
    size.height = sides.height;
  }
  if (is_worksheet) {
    size.page = PageName::worksheet;
    return size;
  }
  const bool is_page = request.kind == ExportKind::figure || request.kind == ExportKind::film;
  if (is_page && shown.view == PageName::explore) size.page = PageName::explore;
  size = size_on(request.paper, size);
  size.scale = request.scale;
  size.is_transparent = request.is_transparent;
  size.look = request.look;
  if (!is_page && request.has_panels) size.panels = shown.selection.heads;
  return size;
}

/// The path, with a number added if it is taken, even by a link to nothing.
fs::path free_path(const fs::path& requested) {
  std::error_code ignored;
  fs::path path = requested;
  for (int number = 2; fs::exists(fs::symlink_status(path, ignored)); ++number) {
    path = requested.parent_path() /
           (requested.stem().string() + "-" + std::to_string(number) + requested.extension().string());
  }
  return path;
}

/// Whether the program chooses the name of the file.
bool is_named_by_program(const ExportRequest& request) {
  return request.name.empty() || request.adds_number_if_taken;
}

/// The path of the file. A name that the user chose is kept as it is.
fs::path path_of(const ExportJob& job) {
  const std::string& name = job.request.name;
  const fs::path path = path_from_typed(job.request.folder) /
                        (name.empty() ? export_name(job.shown.session, job.request) : name);
  return is_named_by_program(job.request) ? free_path(path) : path;
}

/// Writes a file with `write`. A name chosen by the program never overwrites one.
Result<void> write_file(const ExportRequest& request, const fs::path& path,
                        const std::function<Result<void>(const fs::path&)>& write) {
  return is_named_by_program(request) ? write_new_file(path, write) : write(path);
}

ExportResult trouble(ExportFailure kind, std::string message) {
  return {std::move(message), kind, {}, {}};
}

/// Checks the destination before anything is written. Returns the problem, if any.
std::optional<ExportResult> check_destination(const ExportJob& job, const fs::path& path) {
  std::error_code unknown;
  const fs::path folder = path.parent_path();
  if (!folder.empty() && !fs::exists(folder, unknown)) {
    if (!job.request.creates_folder) {
      return trouble(ExportFailure::no_folder,
                     path.string() + " was not written: there is no folder " + shown_folder(folder) + ".");
    }
    if (!fs::create_directories(folder, unknown) && unknown) {
      return trouble(ExportFailure::other, "The folder " + shown_folder(folder) + " could not be created: " +
                                               unknown.message() + ". Choose another folder.");
    }
  }
  if (fs::is_directory(path, unknown) && job.request.kind != ExportKind::model)
    return trouble(ExportFailure::other, path.string() + " is a folder: type a file name after it.");
  const bool keeps = !job.request.name.empty() && !job.request.overwrites;
  if (keeps && fs::exists(path, unknown))
    return trouble(ExportFailure::taken, path.filename().string() + " already exists.");
  return std::nullopt;
}

/// Writes trained weights as a folder that opens on the head that shows what they learned.
Result<void> write_model(const std::shared_ptr<const TrainedModel>& model, const fs::path& folder) {
  const auto shows = representative_head(model);
  return shows ? save_model(folder, *model, {shows->layer, shows->head}) : save_model(folder, *model);
}

/// The model in a folder, named after it, if its weights are exactly these. Null otherwise. A model of a text
/// opens as one of another program, whose hash is that of its files.
ModelRef same_model(const fs::path& folder, const TrainedModel& model) {
  const auto weights = load_weights(folder);
  const bool same = weights && (*weights)->model.architecture == model.model.architecture &&
                    content_hash(**weights) == content_hash(model);
  if (!same) return nullptr;
  const auto opened = load_model(folder, folder.filename().string());
  return opened ? *opened : nullptr;
}

/// Saves weights that were trained in the window beside the first figure that shows them, so that its scene
/// can open them. Later figures reuse that folder.
void save_model_of(Subject& subject, const fs::path& figure, SavedModels& saved) {
  if (!has_unsaved_model(subject)) return;
  const ModelRef model = subject.model;
  const fs::path beside = figure.parent_path();
  for (const auto& [identity, folder] : saved) {
    if (identity != model->identity() || folder.parent_path() != beside) continue;
    subject.model = same_model(folder, *model);
    if (subject.model) return;
  }
  Session named;
  static_cast<Subject&>(named) = subject;
  named.model = model;
  const fs::path folder = free_path(beside / export_name(named, {.kind = ExportKind::model, .folder = {}}));
  ensure(write_model(model, folder));
  subject.model = same_model(folder, *model);
  if (!subject.model) refuse(failure("the model in " + folder.string() + " is not the one that was saved"));
  saved.emplace_back(model->identity(), folder);
}

/// Writes the bytes of a file and returns the remark.
std::string put(const ExportRequest& request, const fs::path& path, const Result<std::string>& bytes,
                std::string remark = {}) {
  const std::string& all = bytes.value();
  ensure(write_file(request, path, [&](const fs::path& file) { return write_atomically(file, all); }));
  return remark;
}

/// Tells what the scene in a figure does not hold, from the figure's metadata.
std::string remark_on(const std::vector<Metadata>& metadata) {
  std::string remark;
  for (const Metadata& entry : metadata)
    if (entry.key == beyond_scene_key || entry.key == scene_omitted_key)
      remark += ". " + entry.key + ": " + entry.text;
  return remark;
}

/// Tells what a figure lacks of its page.
std::string remark_on_cut(const std::string& left_out) {
  return left_out.empty() ? "" : ". " + sentence_without_options(left_out);
}

std::string export_figure(const ExportJob& job, const fs::path& path, SavedModels& saved) {
  PageInputs shown = inputs_of_export(job);
  const FigureSize size = size_of_figure(shown.session, job.request);
  const auto fonts = FontFaces::open_installed(size.look.is_serif).value();
  std::string left_out;
  // The saved model lacks the text that the page of its training shows.
  const Figure figure = figure_of(shown, size, measure_with(fonts), &left_out).value();
  save_model_of(shown.session, path, saved);
  for (Subject& compared : shown.session.compared) save_model_of(compared, path, saved);
  const std::vector<Metadata> metadata = metadata_of(shown, size);
  return put(job.request, path, figure_bytes(figure, job.request.format, size, *fonts, metadata),
             remark_on(metadata) + remark_on_cut(left_out));
}

std::string export_film(const ExportJob& job, const fs::path& path) {
  const auto fonts = FontFaces::open_installed().value();
  const PageInputs shown = inputs_of_export(job);
  const std::shared_ptr<ExportProgress> shared_progress = job.request.progress;
  const FilmProgress progress = [&shared_progress](int drawn, int all) {
    if (shared_progress) shared_progress->share = static_cast<float>(drawn) / static_cast<float>(all);
    return !shared_progress || !shared_progress->is_cancelled;
  };
  const FigureSize size = size_of_figure(shown.session, job.request);
  Engine engine;
  const auto compute = [&engine](const Session& session) {
    return engine.compute(request_of(session), TooLong::cut);
  };
  const FilmSteps steps = film_of_page(shown, size, compute).value();
  const auto bytes = film_bytes(steps, size.scale, job.request.film, job.request.film_type, fonts, progress);
  return put(job.request, path, bytes,
             remark_on_cut(*steps.left_out));  // Drawing the steps writes the remark.
}

/// Writes the exercise to `path` and its solution beside it.
std::string export_worksheet(const ExportJob& job, const fs::path& path, SavedModels& saved) {
  ExportJob sheet = job;
  sheet.shown = inputs_of_export(job);
  sheet.shown.session.cover.solution = false;
  sheet.request.format = FileType::pdf;
  const fs::path beside =
      path.parent_path() / (path.stem().string() + "-solution" + path.extension().string());
  std::error_code ignored;
  const bool overwrites = job.request.overwrites && !fs::is_symlink(beside, ignored);
  const fs::path solution = overwrites ? beside : free_path(beside);
  const bool is_new = !fs::exists(solution, ignored);
  ExportJob solved = sheet;
  solved.shown.session.cover.solution = true;
  solved.request.adds_number_if_taken = !overwrites;
  // Write the solution, the larger file, first: a full disk must not leave the exercise alone.
  export_figure(solved, solution, saved);
  if (const auto written = result_of([&] { return export_figure(sheet, path, saved); }); !written) {
    if (is_new) fs::remove(solution, ignored);
    refuse(tl::unexpected(written.error()));
  }
  return " and its solution, " + solution.filename().string();
}

/// Writes a file or a folder and returns a remark about it, which is empty for most.
std::string write(const ExportJob& job, const fs::path& path, SavedModels& saved) {
  const Session& session = job.shown.session;
  const bool needs_pass = record_of(job.request.kind).group != ExportGroup::to_open_again;
  if (!job.shown.trace && (needs_pass || job.request.kind == ExportKind::command) &&
      job.request.kind != ExportKind::window)
    refuse(failure("there is nothing to export yet: type a sentence first"));
  switch (job.request.kind) {
    case ExportKind::model: {
      if (!session.model) refuse(failure("these weights are random, so there is no trained model to save"));
      ensure(write_model(session.model, path));
      saved.emplace_back(session.model->identity(), path);
      return {};
    }
    case ExportKind::scene:
      ensure(write_scene(path, session, is_named_by_program(job.request)));
      return {};
    case ExportKind::web_page: {
      const PageInputs shown = inputs_of_export(job);
      return put(job.request, path, web_page(shown, size_of_figure(shown.session, job.request)));
    }
    case ExportKind::window:
      return put(job.request, path, png_bytes(*job.window, {{"Software", "headscope"}}));
    case ExportKind::command:
      return put(job.request, path, command_text(job));
    case ExportKind::film:
      return export_film(job, path);
    case ExportKind::worksheet:
      return export_worksheet(job, path, saved);
    case ExportKind::csv:
    case ExportKind::npy:
    case ExportKind::trace:
      ensure(write_file(job.request, path, [&](const fs::path& file) {
        return job.request.kind == ExportKind::trace
                   ? write_trace(*job.shown.trace, file, to_json(session), default_parameters(session.model))
                   : write_stage(*job.shown.trace, stage_to_export(session), file);
      }));
      return {};
    case ExportKind::figure:
    case ExportKind::map:
      break;
  }
  return export_figure(job, path, saved);
}

/// The metadata of a copied figure. It has no scene if weights are not in a file, which nothing could open.
std::vector<Metadata> metadata_of_copy(const ExportJob& job, const FigureSize& size) {
  if (has_unsaved_models(job.shown.session)) return {{"Software", "headscope"}};
  return metadata_of(job.shown, size);
}

Image picture_of(const ExportJob& job, const FigureSize& size) {
  const auto fonts = FontFaces::open_installed().value();
  const Figure figure = figure_of(job.shown, size, measure_with(fonts)).value();
  return rasterized(figure, static_cast<float>(size.scale), *fonts).value();
}

}  // namespace

ExportResult export_now(const ExportJob& job, SavedModels& saved) try {
  const fs::path path = path_of(job);
  if (auto problem = check_destination(job, path)) return *problem;
  const std::size_t n_saved = saved.size();
  const auto written = result_of([&] { return write(job, path, saved); });
  if (!written) return trouble(ExportFailure::other, sentence_without_options(written.error().message));
  std::error_code ignored;
  const fs::path absolute = fs::absolute(path, ignored);
  const bool is_figure = is_drawn(job.request.kind) || job.request.kind == ExportKind::worksheet;
  const bool with_model = is_figure && saved.size() > n_saved;
  return {"Saved " + (absolute.empty() ? path : absolute.lexically_normal()).string() +
              (with_model ? ", with its model as " + saved.back().second.filename().string() : "") + *written,
          ExportFailure::none,
          {},
          absolute.string()};
} catch (...) {
  return trouble(ExportFailure::other,
                 current_exception_message("choose a smaller scale, or a shorter sentence"));
}

Result<Copied> copy_of_figure(const ExportJob& job, const PngSink& take) try {
  return result_of([&] {
    const FigureSize size = size_of_figure(job.shown.session, job.request);
    const Image image = picture_of(job, size);
    ensure(take(png_bytes(image, metadata_of_copy(job, size)).value()));
    return Copied("Copied the figure as a picture of " + grouped(image.width) + " × " +
                      grouped(image.height) + " pixels",
                  "");
  });
} catch (...) {
  return failure(current_exception_message("choose a smaller scale, or a shorter sentence"));
}

Result<Copied> copy_of_link(const Session& session,
                            const std::function<Result<void>(const std::string&)>& take) try {
  for (const Session& subject : subjects_of(session)) {
    if (subject.model && !is_bundled(subject.model->name))
      return failure("a link holds no weights, so it cannot show " + subject.model->title() +
                     ": export a scene instead");
  }
  return scene_text(session).and_then(take).map([] { return Copied("Copied a link to what you see", ""); });
} catch (...) {
  return failure(current_exception_message("shorten the sentence"));
}

Result<Copied> copy_of_numbers(const PageInputs& shown) try {
  const StageId stage = stage_to_export(shown.session);
  return stage_table(*shown.trace, stage).map([&](std::string&& table) {
    const Extent size = shown.trace->extent(stage);
    return Copied("Copied a table of " + grouped(size.rows) + " × " + grouped(size.cols) +
                      " numbers: " + stage_title(*shown.trace, stage),
                  std::move(table));
  });
} catch (...) {
  return failure(current_exception_message("shorten the sentence"));
}

namespace {

std::string product(long long a, long long b) {
  return grouped(a) + " × " + grouped(b);
}

std::string inches(float points) {
  constexpr float points_per_inch = 72.0F;
  std::ostringstream text;
  text.precision(3);
  text << points / points_per_inch;
  return text.str();
}

/// The size of the file: “1,920 × 1,080 pixels”, “13.3 × 7.5 inches”.
std::string size_words(const Figure& figure, const FigureSize& size, const ExportRequest& request) {
  const float zoom = points_per_unit(figure, size.paper);
  if (request.kind != ExportKind::worksheet && request.format == FileType::png) {
    const auto [width, height] = raster_size(figure, zoom * static_cast<float>(size.scale));
    return product(static_cast<long long>(width), static_cast<long long>(height)) + " pixels";
  }
  const bool is_on_screen = request.format == FileType::svg && size.paper == Paper::page;
  if (is_on_screen && request.kind != ExportKind::worksheet)
    return product(std::llround(figure.width), std::llround(figure.height)) + " pixels, sharp at any size";
  return inches(zoom * figure.width) + " × " + inches(zoom * figure.height) + " inches";
}

/// Draws the figure of a job into a room, with the size of the file.
ExportPreview picture(const ExportJob& job, const PageInputs& shown, const FigureSize& size, PixelSize room,
                      FontFaces& fonts, const MeasureText& measure) {
  const Figure figure = figure_of(shown, size, measure).value();
  if (job.request.kind == ExportKind::film) film_of_page(shown, size, {}).value();
  const bool is_page = job.request.kind == ExportKind::web_page;
  if (is_page) ensure(check_web_page());
  const float zoom = std::min(static_cast<float>(room.width) / figure.width,
                              static_cast<float>(room.height) / figure.height);
  const bool is_scene = is_page || job.request.kind == ExportKind::scene;
  ExportPreview preview{.size = is_scene ? "opens as you see it" : size_words(figure, size, job.request)};
  auto image = rasterized(figure, zoom, fonts);
  if (image) preview.image = std::make_shared<const Image>(std::move(*image));
  if (!image) preview.problem = image.error().message;
  return preview;
}

/// A preview of the beginning of a table.
ExportPreview table(const ExportJob& job) {
  constexpr std::size_t max_lines = 24;
  ExportPreview preview;
  const StageId stage = stage_to_export(job.shown.session);
  const Extent size = job.shown.trace->extent(stage);
  preview.size = product(size.rows, size.cols) + " numbers";
  const auto whole = stage_table(*job.shown.trace, stage);
  if (!whole) return preview;
  std::istringstream lines(*whole);
  std::string line;
  for (std::size_t i = 0; i < max_lines && std::getline(lines, line); ++i) {
    std::ranges::replace(line, '\t', job.request.kind == ExportKind::csv ? ',' : ' ');
    preview.text += line + "\n";
  }
  return preview;
}

ExportPreview names(const ExportJob& job) {
  constexpr std::size_t max_lines = 24;
  ExportPreview preview;
  const std::vector<StageId> stages = job.shown.trace->stages();
  preview.size = grouped(static_cast<long long>(stages.size())) + " stages and parameters";
  for (std::size_t i = 0; i < std::min(stages.size(), max_lines); ++i) preview.text += path(stages[i]) + "\n";
  if (stages.size() > max_lines) preview.text += "…\n";
  return preview;
}

ExportPreview preview_of_model(const ExportJob& job) {
  const auto& trained = job.shown.session.model;
  if (!trained) return {.problem = "These weights are random, so there is no trained model to save."};
  return {.text = "config.json\nmodel.safetensors\nvocab.txt\n\n" + grouped(trained->steps) +
                  " steps of training\n" + grouped(static_cast<long long>(trained->vocabulary.size())) +
                  " words\n",
          .size = "a folder"};
}

}  // namespace

ExportPreview preview_of(const ExportJob& job, PixelSize room, PreviewFonts& fonts) {
  switch (job.request.kind) {
    case ExportKind::csv:
    case ExportKind::npy:
      return table(job);
    case ExportKind::trace:
      return names(job);
    case ExportKind::command:
      return {.text = command_text(job)};
    case ExportKind::model:
      return preview_of_model(job);
    case ExportKind::window:
      return {};
    default:
      break;
  }
  std::shared_ptr<FontFaces>& known = fonts[job.request.look.is_serif ? 1 : 0];
  if (!known) {
    auto opened = FontFaces::open_installed(job.request.look.is_serif);
    if (!opened) return {.problem = opened.error().message};
    known = std::move(*opened);
  }
  const MeasureText measure = measure_with(known);
  const PageInputs shown = inputs_of_export(job);
  const FigureSize size = size_of_figure(shown.session, job.request);
  auto preview = result_of([&] { return picture(job, shown, size, room, *known, measure); });
  if (preview) return *preview;
  const bool is_worksheet = job.request.kind == ExportKind::worksheet;
  return {.problem = sentence_without_options(preview.error().message),
          .advice = is_worksheet ? worksheet_advice(shown, size, measure) : std::vector<WorksheetAdvice>()};
}

}  // namespace headscope
