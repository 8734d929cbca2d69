#include "core/page/parts/small_pictures.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/figure/pages.h"
#include "core/model/pass_edits.h"
#include "core/page/page.h"

namespace headscope {

Figure drawn(const SmallPicture& asked, const std::atomic<bool>& stop) {
  if (!asked.trace->has(asked.stage)) return {};
  HeatmapSpec spec = unscaled_heatmap(*asked.trace, asked.stage, asked.picture);
  spec.drop_header();
  spec.drop_axes();
  spec.row_labels.clear();
  spec.col_labels.clear();
  spec.numbers = spec.color_bar = false;
  spec.max_cell = std::max(asked.width, asked.height);
  spec.cover = asked.cover;
  if (asked.against) {
    auto changed = difference_source({*asked.trace, asked.stage, *asked.against, asked.against_stage});
    if (!changed) return {};
    double own = 0.0;
    spec.scale = scale_of_difference(**changed, asked.picture, own);
    show_difference(std::move(*changed), spec);
  } else {
    spec.scale = scale_of_stage(*asked.trace, asked.stage, asked.picture);
  }
  const MeasureText nothing = [](std::string_view, Font, float) { return TextSize{}; };
  const HeatmapLayout layout = layout_heatmap(spec, {0.0F, 0.0F, asked.width, asked.height}, nothing);
  const auto cells = read_cells(spec, layout, &stop);
  const Figure map = draw_heatmap(spec, layout, cells.get(), theme_of(asked.picture.theme), nothing);
  Figure figure{layout.cells.w, layout.cells.h, map.background, {}};
  append(figure, map, -layout.cells.x, -layout.cells.y);
  return figure;
}

Figure row_picture(const Trace& trace, const StageId& stage, int row, const PictureOptions& picture,
                   float width, float height) {
  const StageNumbers numbers = trace.read_row(stage, row);
  const ColorScale scale = scale_of_stage(trace, stage, picture);
  const int cols = numbers.view.cols;
  const int n = std::clamp(static_cast<int>(width), 1, std::max(cols, 1));
  Figure figure{width, height, theme_of(picture.theme).ground, {}};
  for (int i = 0; i < n && cols > 0; ++i) {
    const int col = static_cast<int>(std::int64_t{i} * cols / n);
    const auto color = scale.color(numbers.view(0, col), row);
    const float cell = width / static_cast<float>(n);
    if (color) add_box(figure, {static_cast<float>(i) * cell, 0.0F, cell, height}, *color);
  }
  return figure;
}

std::vector<SmallPicture> SmallPictures::stand_in() const {
  std::vector<SmallPicture> same = asked;
  for (SmallPicture& picture : same) {
    picture.trace.reset();
    picture.against.reset();
    picture.picture = {};
  }
  return same;
}

Slices<std::vector<Figure>> SmallPictures::answer(const std::atomic<bool>& stop) const {
  std::vector<Figure> figures;
  figures.reserve(asked.size());
  for (const SmallPicture& picture : asked) {
    figures.push_back(drawn(picture, stop));
    co_yield static_cast<double>(figures.size()) / static_cast<double>(asked.size());
  }
  co_return figures;
}

const std::vector<Figure>* small_pictures(std::string_view group, std::vector<SmallPicture> asked,
                                          PageTools& tools) {
  std::vector<StageId> stages;
  for (const SmallPicture& picture : asked) stages.push_back(picture.stage);
  const bool is_cheap = asked.empty() || are_cheap_to_read(*asked.front().trace, stages);
  const auto* found = tools.find(SmallPictures{group, std::move(asked)}, is_cheap);
  return found != nullptr && *found ? &**found : nullptr;
}

void strike_out_if_off(const Trace& trace, const HeadId& head, const Box& picture, const Theme& theme,
                       Figure& figure) {
  const HeadEdits* edits = trace.edits() == nullptr ? nullptr : trace.edits()->of(head);
  if (edits == nullptr || edits->scale != 0.0F) return;
  constexpr std::uint8_t veil = 170;
  Color pale = theme.panel;
  pale.a = veil;
  add_box(figure, picture, pale);
  add_line(figure, {picture.x, picture.bottom()}, {picture.right(), picture.y}, theme.warning, 1.5F);
}

}  // namespace headscope
