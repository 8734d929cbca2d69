#include "app/shell/exporter.h"

#include <chrono>
#include <utility>

#include "app/cli/render_command_text.h"
#include "app/parts/stage_map.h"
#include "core/engine/export.h"
#include "core/figure/pages.h"
#include "core/figure/png_writer.h"
#include "core/figure/vector_writer.h"
#include "core/trace/summary.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

fs::path free_path(const ExportJob& job) {
  const fs::path folder = job.request.folder.empty() ? fs::path(".") : fs::path(job.request.folder);
  const fs::path name = export_name(job.session, job.request);
  fs::path path = folder / name;
  std::error_code ignored;
  for (int number = 2; fs::exists(path, ignored); ++number) {
    path = folder / (name.stem().string() + "-" + std::to_string(number) + name.extension().string());
  }
  return path;
}

PageSpec page_of(const Session& session) {
  PageSpec page;
  page.picture = session.picture;
  page.marked_token = session.selection.token;
  const auto& pin = session.selection.pin;
  if (pin) {
    page.pinned = CellIndex{pin->row, pin->col};
    page.pinned_stage = pin->stage.kind;
  }
  return page;
}

StageId chosen_stage(const Session& session) {
  return normalized(
      {session.selection.stage, Stack::encoder, 0, AttentionKind::self, session.selection.head});
}

Result<Figure> difference_figure(const ExportJob& job, const MeasureText& measure) {
  const StageId stage = chosen_stage(job.session);
  auto changed = difference(*job.trace, *job.before, stage);
  if (!changed) return tl::unexpected(changed.error());
  double range = 0.0;
  const HeatmapSpec spec = difference_spec(*job.trace, stage, *changed, job.session.picture, range);
  return figure_of_heatmap(spec, stage.kind, page_of(job.session), measure);
}

Result<Figure> figure_of(const ExportJob& job, const MeasureText& measure) {
  const PageSpec page = page_of(job.session);
  const Selection& selection = job.session.selection;
  if (job.before) return difference_figure(job, measure);
  switch (selection.view) {
    case View::stages:
      return figure_of_head_stages(*job.trace, selection.head, page, measure);
    case View::heads:
      return figure_of_all_heads(*job.trace, selection.stage, page, measure);
    case View::explore:
      break;
  }
  return figure_of_stage(*job.trace, chosen_stage(job.session), page, measure);
}

FigureChoice choice_of(const Session& session) {
  const Selection& selection = session.selection;
  FigureChoice choice;
  choice.stage = selection.stage;
  choice.head = selection.head;
  if (selection.view == View::stages) choice.stage.reset();
  if (selection.view == View::heads) choice.head.reset();
  choice.row = selection.token;
  return choice;
}

/// Who made the file and, where the command line can make it again, how.
std::vector<Metadata> metadata_of(const ExportJob& job, const fs::path& path) {
  std::vector<Metadata> metadata{{"Software", "Headscope"}};
  if (job.before) return metadata;  // a difference between two states is no single command
  FigureSize size;
  size.scale = job.request.scale;
  const std::string command =
      render_command_text(job.session, choice_of(job.session), size, path.filename().string());
  metadata.push_back({"Command", command});
  return metadata;
}

Result<void> write_figure(const ExportJob& job, const fs::path& path) {
  const auto files = find_font_files();
  if (!files) return tl::unexpected(files.error());
  const auto fonts = CairoFonts::open(*files);
  if (!fonts) return tl::unexpected(fonts.error());
  const auto figure = figure_of(job, cairo_measure(*fonts));
  if (!figure) return tl::unexpected(figure.error());
  const std::vector<Metadata> metadata = metadata_of(job, path);
  switch (job.request.format) {
    case FigureFormat::svg:
      return write_svg(*figure, path, **fonts, metadata);
    case FigureFormat::pdf:
      return write_pdf(*figure, path, **fonts, metadata);
    case FigureFormat::png:
      break;
  }
  return write_png(*figure, static_cast<float>(job.request.scale), path, **fonts, metadata);
}

Result<void> write(const ExportJob& job, const fs::path& path) {
  if (job.request.kind == ExportKind::window) {
    return write_png(*job.window, path, {{"Software", "Headscope"}});
  }
  if (!job.trace) return failure("there is nothing to export yet: type a sentence first");
  switch (job.request.kind) {
    case ExportKind::csv:
    case ExportKind::npy:
      return write_stage(*job.trace, chosen_stage(job.session), path);
    case ExportKind::trace:
      return write_trace(*job.trace, path, to_json(job.session));
    default:
      return write_figure(job, path);
  }
}

}  // namespace

ExportResult export_now(const ExportJob& job) {
  const fs::path path = free_path(job);
  const auto written = write(job, path);
  if (!written) return {false, written.error().message};
  std::error_code ignored;
  const fs::path absolute = fs::absolute(path, ignored);
  return {true, "Saved " + (absolute.empty() ? path : absolute.lexically_normal()).string()};
}

void Exporter::start(ExportJob job) {
  running_.push_back(std::async(std::launch::async, [job = std::move(job)] { return export_now(job); }));
}

std::vector<ExportResult> Exporter::take_finished() {
  std::vector<ExportResult> finished;
  std::erase_if(running_, [&finished](std::future<ExportResult>& job) {
    if (job.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
    finished.push_back(job.get());
    return true;
  });
  return finished;
}

}  // namespace headscope
