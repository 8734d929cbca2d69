#include "app/shell/export_previewer.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>

#include "core/caught.h"
#include "core/engine/export.h"
#include "core/model/trained_model.h"
#include "core/page/figure_file.h"
#include "core/paint/rasterize.h"
#include "core/text/number_text.h"

namespace headscope {
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
  if (request.kind != ExportKind::worksheet && request.format == FigureFormat::png) {
    const RasterSize sides = raster_size(figure, zoom * static_cast<float>(size.scale));
    return product(static_cast<long long>(sides.width), static_cast<long long>(sides.height)) + " pixels";
  }
  const bool is_on_screen = request.format == FigureFormat::svg && size.paper == Paper::page;
  if (is_on_screen && request.kind != ExportKind::worksheet)
    return product(std::llround(figure.width), std::llround(figure.height)) + " pixels, sharp at any size";
  return inches(zoom * figure.width) + " × " + inches(zoom * figure.height) + " inches";
}

ExportPreview picture(const ExportJob& job, PixelSize room, FontFaces& fonts, const MeasureText& measure) {
  ExportPreview preview;
  const PageInputs shown = inputs_of_export(job);
  const FigureSize size = size_of_figure(shown.session, job.request);
  const auto figure = figure_of(shown, size, measure);
  if (!figure) {
    preview.problem = sentence_without_options(figure.error().message);
    if (job.request.kind == ExportKind::worksheet) preview.advice = worksheet_advice(shown, size, measure);
    return preview;
  }
  if (job.request.kind == ExportKind::film) {
    if (const auto film = film_of_page(shown, size, {}); !film) {
      preview.problem = sentence_without_options(film.error().message);
      return preview;
    }
  }
  const bool is_page = job.request.kind == ExportKind::web_page;
  if (const auto ok = is_page ? check_web_page() : Result<void>(); !ok) {
    preview.problem = sentence_without_options(ok.error().message);
    return preview;
  }
  const bool is_scene = is_page || job.request.kind == ExportKind::scene;
  preview.size = is_scene ? "opens as you see it" : size_words(*figure, size, job.request);
  const float zoom = std::min(static_cast<float>(room.width) / figure->width,
                              static_cast<float>(room.height) / figure->height);
  auto image = rasterized(*figure, zoom, fonts);
  if (!image) {
    preview.problem = image.error().message;
    return preview;
  }
  preview.image = std::make_shared<const Image>(std::move(*image));
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
  ExportPreview preview;
  const auto& trained = job.shown.session.model;
  if (!trained) {
    preview.problem = "These weights are random, so there is no trained model to save.";
    return preview;
  }
  preview.size = "a folder";
  preview.text = "config.json\nmodel.safetensors\nvocab.txt\n\n" + grouped(trained->steps) +
                 " steps of training\n" + grouped(static_cast<long long>(trained->vocabulary.size())) +
                 " words\n";
  return preview;
}

}  // namespace

void ExportPreviewer::make_preview(ExportJob job, PreviewKey key) {
  made_ = std::move(key);
  const auto make = [this, job = std::move(job), room = made_->room]() -> ExportPreview {
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
    std::shared_ptr<FontFaces>& known = job.request.look.is_serif ? serif_fonts_ : fonts_;
    if (!known) {
      auto fonts = FontFaces::open_installed(job.request.look.is_serif);
      if (!fonts) return {.problem = fonts.error().message};
      known = std::move(*fonts);
    }
    return picture(job, room, *known, measure_with(known));
  };
  previews_.submit(make, [](const auto&) {
    return ExportPreview{.problem =
                             current_exception_message("choose a smaller size, or a shorter sentence")};
  });
}

bool ExportPreviewer::take(ExportForm& form) {
  bool took = false;
  while (auto preview = previews_.take()) {
    form.preview = std::move(*preview);
    took = true;
  }
  return took;
}

void ExportPreviewer::forget() {
  made_.reset();
}

}  // namespace headscope
