#include "app/shell/copier.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/caught.h"
#include "core/engine/export.h"
#include "core/figure/pages.h"
#include "core/paint/png_writer.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

CopyResult refused(const std::string& why) {
  return {false, "Nothing was copied: " + why};
}

bool is_without_a_name(const Subject& subject) {
  return subject.model && subject.model->name.empty();
}

/// The metadata of a copied figure. It has no command if weights are not in a file, which no command could
/// open.
std::vector<Metadata> metadata_of_copy(const ExportJob& job, const FigureSize& size) {
  const Session& session = job.shown.session;
  if (is_without_a_name(session) || std::ranges::any_of(session.held, is_without_a_name))
    return {{"Software", "headscope"}};
  return job.metadata_of(job.shown, size, "figure.png");
}

Result<Image> picture_of(const ExportJob& job, const FigureSize& size) {
  const auto files = find_font_files();
  if (!files) return tl::unexpected(files.error());
  const auto fonts = CairoFonts::open(*files);
  if (!fonts) return tl::unexpected(fonts.error());
  const auto figure = figure_of(job.shown, size, cairo_measure(*fonts));
  if (!figure) return tl::unexpected(figure.error());
  return rasterized(*figure, static_cast<float>(size.scale), **fonts);
}

}  // namespace

CopyResult copy_of_figure(const ExportJob& job, const PictureTaker& take) try {
  const FigureSize size = size_of_figure(job.shown.session, job.request);
  const auto image = picture_of(job, size);
  if (!image) return refused(image.error().message);
  const auto png = png_bytes(*image, metadata_of_copy(job, size));
  if (!png) return refused(png.error().message);
  if (const auto taken = take(*png); !taken) return refused(taken.error().message);
  return {true, "Copied the figure as a picture of " + grouped(image->width) + " × " +
                    grouped(image->height) + " pixels"};
} catch (...) {
  return refused(caught_text("choose a smaller scale, or a shorter sentence"));
}

CopyResult copy_of_numbers(const PageInputs& shown) try {
  const StageId stage = stage_to_export(shown.session);
  auto table = stage_table(*shown.trace, stage);
  if (!table) return refused(table.error().message);
  const Extent size = shown.trace->extent(stage);
  return {true,
          "Copied a table of " + grouped(size.rows) + " × " + grouped(size.cols) +
              " numbers: " + stage_title(*shown.trace, stage),
          std::move(*table)};
} catch (...) {
  return refused(caught_text("shorten the sentence"));
}

}  // namespace headscope
