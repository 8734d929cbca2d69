#include "core/page/explore_page.h"

#include <algorithm>
#include <cmath>

#include "core/page/stage_heading.h"
#include "core/page/strip_page.h"

namespace headscope {
namespace {

constexpr float between_heads_of_column = 8.0F;

/// The greatest side up to `room` that square cells fill without a rest.
float whole_cells(float room, int n) {
  const float cell = std::floor(room / static_cast<float>(n));
  return cell >= 1.0F ? cell * static_cast<float>(n) : room;
}

MapLook small_look() {
  MapLook look;
  look.labels = false;
  look.color_bar = false;
  look.numbers = false;
  look.max_cell = 24.0F;
  look.pins = false;
  return look;
}

Page small_head(const PageInputs& in, PageTools& tools, int head, float side) {
  StageId id = in.at(small_heads_kind(in));
  id.head = head;
  const bool chosen = head == in.session.selection.head;
  PageText page(in, tools, side);
  page.line({{"head " + std::to_string(head), chosen ? Font::sans_bold : Font::sans, page_size::small,
              chosen ? page.theme().accent : page.theme().quiet}});
  const Extent values = in.trace->extent(id);
  const float aspect =
      values.empty() ? 1.0F : static_cast<float>(values.rows) / static_cast<float>(values.cols);
  constexpr float least_height = 16.0F;
  const float height = std::max(least_height, std::min(side * aspect, side));
  const float top = page.y();
  page.page().regions.push_back({{0.0F, top, side, height}, HeadArea{head}});
  page.add(map_page(in, tools, "small head " + std::to_string(head), id, side, height, small_look()));
  if (chosen) {
    constexpr float border = 2.0F;
    page.page().figure.items.emplace_back(
        StrokedRect{{-border, top - border, side + 2.0F * border, height + 2.0F * border},
                    page.theme().accent,
                    border,
                    4.0F});
  }
  return page.take();
}

}  // namespace

StageKind small_heads_kind(const PageInputs& in) {
  const StageKind chosen = in.session.selection.stage;
  return info(chosen).scope == StageScope::head ? chosen : StageKind::weights;
}

Page small_heads_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageText page(in, tools, size.width);
  page.line({{"All heads", Font::sans_bold, page_size::body, page.theme().text},
             {info(small_heads_kind(in)).name, Font::sans, page_size::small, page.theme().quiet}});
  const int n_heads = in.trace->architecture().n_heads;
  const int columns = n_heads > 4 ? 2 : 1;
  const float gap = between_heads_of_column * static_cast<float>(columns - 1);
  const float side =
      whole_cells((size.width - gap) / static_cast<float>(columns), std::max(in.trace->n_tokens(), 1));
  for (int first = 0; first < n_heads; first += columns) {
    Page line;
    for (int head = first; head < std::min(n_heads, first + columns); ++head) {
      const float x = static_cast<float>(head - first) * (side + between_heads_of_column);
      append(line, small_head(in, tools, head, side), x, 0.0F);
    }
    page.add(line);
  }
  return page.take();
}

Page large_map_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageText page(in, tools, size.width);
  const StageId stage = in.at(in.session.selection.stage);
  stage_heading(page, in, stage, stage);
  MapLook look;
  look.zoomable = true;
  look.max_cell = 64.0F;
  page.add(map_page(in, tools, "large", stage, size.width, std::max(size.height - page.y(), 8.0F), look));
  return page.take();
}

Page explore_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageText page(in, tools, size.width);
  const float one_row = std::clamp(size.height * 0.24F, 148.0F, 200.0F);
  page.add(strip_page(in, {size.width, one_row}, tools));
  page.divider();
  const float left = size.height - page.y();
  const float height = left >= 372.0F ? left : 480.0F;
  if (size.width <= 560.0F) {
    page.add(large_map_page(in, {size.width, height}, tools));
    return page.take();
  }
  constexpr float gap = 32.0F;
  const float heads = std::clamp(size.width * 0.24F, 96.0F, 232.0F) - gap;
  Page below = small_heads_page(in, {heads, height}, tools);
  append(below, large_map_page(in, {size.width - heads - gap, height}, tools), heads + gap, 0.0F);
  page.add(below);
  return page.take();
}

}  // namespace headscope
