#include "core/page/heads_page.h"

#include <algorithm>
#include <cmath>

#include "core/page/stage_heading.h"

namespace headscope {
namespace {

/// A tile with a map, its labels and its colour bar is not smaller: more tiles make the page higher.
constexpr float least_tile_width = 200.0F;
constexpr float least_tile_height = 150.0F;
constexpr float between_heads = 16.0F;
constexpr float caption = 24.0F;
constexpr float beside_map = 90.0F;  ///< about what its colour bar takes

/// Columns that make the maps largest.
int best_columns(int n, float width, float height) {
  int best = 1;
  float largest = 0.0F;
  const int most =
      std::clamp(static_cast<int>((width + between_heads) / (least_tile_width + between_heads)), 1, n);
  for (int columns = 1; columns <= most; ++columns) {
    const int rows = (n + columns - 1) / columns;
    const float tile =
        (width - between_heads * static_cast<float>(columns - 1)) / static_cast<float>(columns);
    const float side =
        std::min(tile - beside_map, height / static_cast<float>(rows) - caption - between_heads);
    if (side > largest) {
      largest = side;
      best = columns;
    }
  }
  return best;
}

struct Tiles {
  int n = 1, columns = 1;
  float width = 0.0F, height = 0.0F;
};

Tiles tiles_of(int n, float width, float height) {
  Tiles tiles{n, best_columns(n, width, height)};
  const int rows = (n + tiles.columns - 1) / tiles.columns;
  tiles.width = std::floor((width - between_heads * static_cast<float>(tiles.columns - 1)) /
                           static_cast<float>(tiles.columns));
  // In a low room, which is not enough anyway, tiles are higher.
  const float least = height < 1.5F * least_tile_height ? 1.5F * least_tile_height : least_tile_height;
  tiles.height = std::max(std::floor(height / static_cast<float>(rows) - caption - between_heads), least);
  return tiles;
}

Page one_head(const PageInputs& in, PageTools& tools, const StageId& stage, int head, const Tiles& tiles) {
  const bool per_head = info(stage.kind).scope == StageScope::head;
  const bool chosen = per_head && head == in.session.selection.head;
  PageText page(in, tools, tiles.width);
  const std::string name = per_head ? "head " + std::to_string(head) : std::string(info(stage.kind).title);
  page.line({{name, chosen ? Font::sans_bold : Font::sans, page_size::small,
              chosen ? page.theme().accent : page.theme().quiet}});
  MapLook look;
  look.font_size = std::min(tiles.width, tiles.height) < 240.0F ? 9.0F : 11.0F;
  page.add(map_page(in, tools, "heads " + std::to_string(head), stage, tiles.width, tiles.height, look));
  return page.take();
}

}  // namespace

Page heads_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageText page(in, tools, size.width);
  const StageKind kind = in.session.selection.stage;
  const bool per_head = info(kind).scope == StageScope::head;
  // Of all heads the place is that of their attention.
  stage_heading(page, in, in.at(kind), in.at(per_head ? StageKind::projected : kind));
  const int n = per_head ? in.trace->architecture().n_heads : 1;
  const Tiles tiles = tiles_of(n, size.width, std::max(size.height - page.y(), 1.0F));
  for (int first = 0; first < n; first += tiles.columns) {
    Page line;
    for (int head = first; head < std::min(n, first + tiles.columns); ++head) {
      StageId stage = in.at(kind);
      if (per_head) stage.head = head;
      const float x = static_cast<float>(head - first) * (tiles.width + between_heads);
      append(line, one_head(in, tools, stage, head, tiles), x, 0.0F);
    }
    page.add(line);
  }
  return page.take();
}

}  // namespace headscope
