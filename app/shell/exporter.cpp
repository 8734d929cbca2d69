#include "app/shell/exporter.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/caught.h"
#include "core/checkpoint/model_folder.h"
#include "core/engine/export.h"
#include "core/engine/showing_head.h"
#include "core/figure/pages.h"
#include "core/figure/png_writer.h"
#include "core/model/parameters.h"
#include "core/model/trained_model.h"
#include "core/trace/number_source.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

bool has_unsaved_model(const Session& session) {
  return session.model && session.model->name.empty();
}

/// A folder as it was typed: none is the current one, and ~ the home folder, as a shell has it.
fs::path folder_named(const std::string& typed) {
  if (typed.empty()) return ".";
  const char* home = std::getenv("HOME");
  const bool is_home = home != nullptr && (typed == "~" || typed.starts_with("~/"));
  return is_home ? fs::path(home) / typed.substr(std::min<std::size_t>(typed.size(), 2)) : fs::path(typed);
}

/// The path, with a number where it is taken.
fs::path free_path(const fs::path& requested) {
  std::error_code ignored;
  fs::path path = requested;
  for (int number = 2; fs::exists(path, ignored); ++number) {
    path = requested.parent_path() /
           (requested.stem().string() + "-" + std::to_string(number) + requested.extension().string());
  }
  return path;
}

fs::path free_path(const ExportJob& job) {
  const fs::path folder = folder_named(job.request.folder);
  return free_path(folder / export_name(job.session, job.request, job.before != nullptr));
}

StageId chosen_stage(const Session& session) {
  StageId stage = session.selection.at(exported_stage(session));
  if (session.selection.view == View::positions) stage.attention = AttentionKind::self;
  return normalized(stage);
}

Result<Figure> difference_figure(const ExportJob& job, const FigureChoice& choice,
                                 const MeasureText& measure) {
  const StageId stage = chosen_stage(job.session);
  auto changed = source_of_difference({*job.trace, stage, *job.before, stage});
  if (!changed) return failure("nothing to compare: " + changed.error().message);
  double range = job.held_range;
  PageSpec page;
  page.picture = job.session.picture;
  page.marked_token = choice.row;
  HeatmapSpec spec = unscaled_heatmap(*job.trace, stage, job.session.picture);
  spec.scale = scale_of_difference(**changed, job.session.picture, range);
  show_difference(std::move(*changed), spec);
  return figure_of_heatmap(spec, stage.kind, page, measure);
}

FileType type_of(FigureFormat format) {
  switch (format) {
    case FigureFormat::svg:
      return FileType::svg;
    case FigureFormat::pdf:
      return FileType::pdf;
    case FigureFormat::png:
      break;
  }
  return FileType::png;
}

/// Trained weights as a folder that opens on the head that shows what they learned.
Result<void> write_model(const std::shared_ptr<const TrainedModel>& model, const fs::path& folder) {
  const auto shows = showing_head(model);
  return shows ? save_model(folder, *model, {shows->layer, shows->head}) : save_model(folder, *model);
}

std::vector<float> numbers_of(const TrainedModel& model) {
  return parameters_of(model.model, layout_of(model.model.architecture, model.vocabulary.size()));
}

/// The model of a folder, called by the folder's name, where it has just these weights; null otherwise.
ModelValue same_model(const fs::path& folder, const TrainedModel& model) {
  const auto opened = load_model(folder, folder.filename().string());
  const bool same = opened && (*opened)->model.architecture == model.model.architecture &&
                    (*opened)->vocabulary.words() == model.vocabulary.words() &&
                    numbers_of(**opened) == numbers_of(model);
  return same ? *opened : nullptr;
}

/// Weights that were trained in the window are saved beside the first figure that shows them, so that its
/// command can open them; those of later figures find them there.
Result<Session> with_saved_model(const Session& session, const fs::path& figure, SavedModels& saved) {
  if (!has_unsaved_model(session)) return session;
  Session named = session;
  const fs::path beside = figure.parent_path();
  for (const SavedModel& one : saved) {
    if (one.model != session.model->identity() || one.folder.parent_path() != beside) continue;
    named.model = same_model(one.folder, *session.model);
    if (named.model) return named;
  }
  const fs::path folder = free_path(beside / export_name(session, {.kind = ExportKind::model, .folder = {}}));
  if (auto written = write_model(session.model, folder); !written) return tl::unexpected(written.error());
  named.model = same_model(folder, *session.model);
  if (!named.model) return failure("the model in " + folder.string() + " is not the one that was saved");
  saved.push_back({session.model->identity(), folder});
  return named;
}

/// What the figure's commands leave out, of all that its metadata says.
std::string left_out_of(const std::vector<Metadata>& metadata) {
  std::string text;
  for (const Metadata& entry : metadata) {
    if (entry.key.ends_with("leaves out")) text += ". " + entry.key + ": " + entry.text;
  }
  return text;
}

/// What is to be said of the file that was written; empty where all is well.
using Remark = std::string;

/// What a page is made from where nothing is pointed at.
PageInputs shown_by(const ExportJob& job) {
  PageInputs shown = job.shown;
  shown.session = job.session;
  shown.trace = job.trace;
  shown.trace_model = job.session.model;
  shown.before.reset();
  shown.hovered.reset();
  shown.hovered_token.reset();
  return shown;
}

Result<Remark> export_figure(const ExportJob& job, const fs::path& path, SavedModels& saved) {
  const auto session = with_saved_model(job.session, path, saved);
  if (!session) return tl::unexpected(session.error());
  const auto files = find_font_files();
  if (!files) return tl::unexpected(files.error());
  const auto fonts = CairoFonts::open(*files);
  if (!fonts) return tl::unexpected(fonts.error());
  const MeasureText measure = cairo_measure(*fonts);
  const FigureChoice choice = shown_figure(job.session);
  FigureSize size = choice.usual_size();
  size.scale = job.request.scale;
  const std::string name = path.filename().string();
  std::vector<Metadata> metadata = job.metadata_of(*job.trace, *session, size, name);
  if (job.before) {
    // A difference has two commands: one for each of the states.
    const auto session_before = with_saved_model(job.session_before, path, saved);
    if (!session_before) return tl::unexpected(session_before.error());
    for (const Metadata& entry : job.metadata_of(*job.before, *session_before, size, name)) {
      if (entry.key == "Command") metadata.push_back({"Command before", entry.text});
      if (entry.key == left_out_key) metadata.push_back({"Command before leaves out", entry.text});
    }
  }
  const PageInputs shown = shown_by(job);
  if (const std::string more = job.before ? "" : left_out_of_page(shown); !more.empty()) {
    const auto named = std::ranges::find(metadata, left_out_key, &Metadata::key);
    if (named == metadata.end()) {
      metadata.push_back({left_out_key, more});
    } else {
      named->text += "; " + more;
    }
  }
  const auto figure = job.before ? difference_figure(job, choice, measure) : figure_of(shown, size, measure);
  if (!figure) return tl::unexpected(figure.error());
  return write_figure(*figure, type_of(job.request.format), size.scale, path.string(), **fonts, metadata)
      .map([&] { return left_out_of(metadata); });
}

Remark no_remark() {
  return {};
}

Result<Remark> write(const ExportJob& job, const fs::path& path, SavedModels& saved) {
  if (job.request.kind == ExportKind::model) {
    if (!job.session.model) return failure("these weights are random, so there is no trained model to save");
    auto written = write_model(job.session.model, path);
    if (written) saved.push_back({job.session.model->identity(), path});
    return written.map(no_remark);
  }
  if (job.request.kind == ExportKind::window) {
    return write_png(*job.window, path, {{"Software", "headscope"}}).map(no_remark);
  }
  if (!job.trace) return failure("there is nothing to export yet: type a sentence first");
  switch (job.request.kind) {
    case ExportKind::csv:
    case ExportKind::npy:
      return write_stage(*job.trace, chosen_stage(job.session), path).map(no_remark);
    case ExportKind::trace:
      return write_trace(*job.trace, path, to_json(job.session)).map(no_remark);
    default:
      return export_figure(job, path, saved);
  }
}

}  // namespace

ExportResult export_now(const ExportJob& job, SavedModels& saved) try {
  const fs::path path = free_path(job);
  const std::size_t n_saved = saved.size();
  const auto written = write(job, path, saved);
  if (!written) return {false, written.error().message};
  std::error_code ignored;
  const fs::path absolute = fs::absolute(path, ignored);
  const bool with_model = job.request.kind == ExportKind::figure && saved.size() > n_saved;
  return {true, "Saved " + (absolute.empty() ? path : absolute.lexically_normal()).string() +
                    (with_model ? ", with its model as " + saved.back().folder.filename().string() : "") +
                    *written};
} catch (...) {
  return {false, caught_text("choose a smaller scale, or a shorter sentence")};
}

}  // namespace headscope
