#include "core/page/heads_page.h"

#include <algorithm>

#include "core/page/stage_heading.h"
#include "core/page/tiles.h"

namespace headscope {
namespace {

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
      const float x = static_cast<float>(head - first) * (tiles.width + between_tiles);
      append(line, one_head(in, tools, stage, head, tiles), x, 0.0F);
    }
    page.add(line);
  }
  return page.take();
}

}  // namespace headscope
