#include "core/page/on_paper.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace headscope {

FigureSize size_on(Paper paper, FigureSize usual) {
  if (paper == Paper::page) return usual;
  const PaperRecord& record = record_of(paper);
  usual.paper = paper;
  usual.width = record.layout_width;
  usual.height = record.layout_height;
  usual.scale = record.scale;
  return usual;
}

Figure on_paper(Figure figure, const FigureSize& size) {
  if (size.is_transparent) figure.background.a = 0;
  const PaperRecord& record = record_of(size.paper);
  if (record.width <= 0.0F || figure.width <= 0.0F || figure.height <= 0.0F) return figure;
  const bool has_height = record.height > 0.0F;
  const float zoom =
      std::min({record.greatest_zoom, record.width / figure.width,
                has_height ? record.height / figure.height : std::numeric_limits<float>::infinity()});
  Figure sheet{record.width / zoom, has_height ? record.height / zoom : figure.height, figure.background, {}};
  append(sheet, figure, 0.5F * (sheet.width - figure.width), 0.5F * (sheet.height - figure.height));
  return sheet;
}

float points_per_unit(const Figure& figure, Paper paper) {
  const PaperRecord& record = record_of(paper);
  return record.width <= 0.0F || figure.width <= 0.0F ? 1.0F : record.width / figure.width;
}

}  // namespace headscope
