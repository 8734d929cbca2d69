#include "app/shell/exporter.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "app/cli/session_figure.h"
#include "app/parts/stage_map.h"
#include "core/caught.h"
#include "core/checkpoint/model_folder.h"
#include "core/engine/export.h"
#include "core/engine/showing_head.h"
#include "core/figure/pages.h"
#include "core/figure/png_writer.h"
#include "core/model/trained_model.h"
#include "core/trace/summary.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

/// Where the weights of a figure go that has no model to name.
fs::path model_beside(const fs::path& figure) {
  return figure.parent_path() / (figure.stem().string() + "-model");
}

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

fs::path free_path(const ExportJob& job) {
  const fs::path folder = folder_named(job.request.folder);
  const fs::path name = export_name(job.session, job.request, job.before != nullptr);
  fs::path path = folder / name;
  std::error_code ignored;
  const bool needs_folder = job.request.kind == ExportKind::figure && has_unsaved_model(job.session);
  const auto is_taken = [&] {
    return fs::exists(path, ignored) || (needs_folder && fs::exists(model_beside(path), ignored));
  };
  for (int number = 2; is_taken(); ++number) {
    path = folder / (name.stem().string() + "-" + std::to_string(number) + name.extension().string());
  }
  return path;
}

StageId chosen_stage(const Session& session) {
  StageId stage = session.selection.at(exported_stage(session));
  if (session.selection.view == View::positions) stage.attention = AttentionKind::self;
  return normalized(stage);
}

Result<Figure> difference_figure(const ExportJob& job, const FigureChoice& choice,
                                 const MeasureText& measure) {
  const StageId stage = chosen_stage(job.session);
  auto changed = difference(*job.trace, *job.before, stage);
  if (!changed) return tl::unexpected(changed.error());
  double range = job.held_range;
  PageSpec page;
  page.picture = job.session.picture;
  page.marked_token = choice.row;
  const HeatmapSpec spec = difference_spec(*job.trace, stage, *changed, job.session.picture, range);
  return figure_of_heatmap(spec, stage.kind, page, measure);
}

/// What the view shows: one stage, all heads, or all stages of a head, with what is pinned or selected
/// marked.
FigureChoice choice_of(const Session& session) {
  const Selection& selection = session.selection;
  FigureChoice choice;
  choice.stage = exported_stage(session);
  choice.head = selection.head;
  choice.place = selection.at(StageKind::weights);
  if (selection.view == View::stages) choice.stage.reset();
  if (selection.view == View::model) {
    choice.diagram = true;
    return choice;
  }
  if (selection.view == View::heads) choice.head.reset();
  StageId shown = chosen_stage(session);
  if (selection.view == View::stages) shown = selection.at(StageKind::weights);
  const bool pin_is_shown = selection.pin && selection.pin->stage == shown && selection.view != View::heads;
  if (pin_is_shown) {
    choice.row = selection.pin->row;
    choice.column = selection.pin->col;
  } else if (runs_over_tokens(info(shown.kind).rows)) {
    choice.row = selection.token;
  }
  return choice;
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

/// Weights that were trained in the window are saved beside the figure, so that its command can open them.
Result<Session> with_saved_model(const Session& session, const fs::path& figure) {
  if (!has_unsaved_model(session)) return session;
  const fs::path folder = model_beside(figure);
  if (auto saved = write_model(session.model, folder); !saved) return tl::unexpected(saved.error());
  const auto opened = load_model(folder, folder.filename().string());
  if (!opened) return tl::unexpected(opened.error());
  Session named = session;
  named.model = *opened;
  return named;
}

Result<void> export_figure(const ExportJob& job, const fs::path& path) {
  const auto session = with_saved_model(job.session, path);
  if (!session) return tl::unexpected(session.error());
  const auto files = find_font_files();
  if (!files) return tl::unexpected(files.error());
  const auto fonts = CairoFonts::open(*files);
  if (!fonts) return tl::unexpected(fonts.error());
  const MeasureText measure = cairo_measure(*fonts);
  const FigureChoice choice = choice_of(job.session);
  FigureSize size = choice.usual_size();
  size.scale = job.request.scale;
  const std::string name = path.filename().string();
  std::vector<Metadata> metadata = metadata_of(*job.trace, *session, choice, size, name);
  if (job.before) {
    // A difference has two commands: one for each of the states.
    const fs::path before_path =
        path.parent_path() / (path.stem().string() + "-before" + path.extension().string());
    const auto session_before = with_saved_model(job.session_before, before_path);
    if (!session_before) return tl::unexpected(session_before.error());
    for (const Metadata& entry : metadata_of(*job.before, *session_before, choice, size, name)) {
      if (entry.key == "Command") metadata.push_back({"Command before", entry.text});
    }
  }
  const auto figure = job.before ? difference_figure(job, choice, measure)
                                 : figure_of(*job.trace, job.session, choice, size, measure);
  if (!figure) return tl::unexpected(figure.error());
  return write_figure(*figure, type_of(job.request.format), size.scale, path.string(), **fonts, metadata);
}

Result<void> write(const ExportJob& job, const fs::path& path) {
  if (job.request.kind == ExportKind::model) {
    if (!job.session.model) return failure("these weights are random: there is no trained model to save");
    return write_model(job.session.model, path);
  }
  if (job.request.kind == ExportKind::window) {
    return write_png(*job.window, path, {{"Software", "headscope"}});
  }
  if (!job.trace) return failure("there is nothing to export yet: type a sentence first");
  switch (job.request.kind) {
    case ExportKind::csv:
    case ExportKind::npy:
      return write_stage(*job.trace, chosen_stage(job.session), path);
    case ExportKind::trace:
      return write_trace(*job.trace, path, to_json(job.session));
    default:
      return export_figure(job, path);
  }
}

}  // namespace

ExportResult export_now(const ExportJob& job) try {
  const fs::path path = free_path(job);
  const auto written = write(job, path);
  if (!written) return {false, written.error().message};
  std::error_code ignored;
  const fs::path absolute = fs::absolute(path, ignored);
  const bool has_folder = job.request.kind == ExportKind::figure && has_unsaved_model(job.session);
  return {true, "Saved " + (absolute.empty() ? path : absolute.lexically_normal()).string() +
                    (has_folder ? ", and its model as " + model_beside(path).filename().string() : "")};
} catch (...) {
  return {false, caught_text("choose a smaller scale, or a shorter sentence")};
}

void Exporter::start(ExportJob job) {
  waiting_.push_back(std::move(job));
  if (!running_.valid()) run_next();
}

void Exporter::run_next() {
  if (waiting_.empty()) return;
  running_ = std::async(std::launch::async, [job = std::move(waiting_.front())] { return export_now(job); });
  waiting_.pop_front();
}

std::optional<ExportResult> Exporter::take_finished() {
  if (!running_.valid() || running_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    return std::nullopt;
  }
  ExportResult result = running_.get();
  run_next();
  return result;
}

}  // namespace headscope
