#include "core/page/page.h"

#include <cmath>

namespace headscope {
const HitRegion* Page::region_at(Point point) const {
  const auto found = std::find_if(regions.rbegin(), regions.rend(),
                                  [&](const HitRegion& region) { return region.box.contains(point); });
  return found == regions.rend() ? nullptr : &*found;
}

void append(Page& page, const Page& part, float x, float y) {
  append(page.figure, part.figure, x, y);
  page.figure.width = std::max(page.figure.width, x + part.figure.width);
  page.figure.height = std::max(page.figure.height, y + part.figure.height);
  for (HitRegion region : part.regions) {
    const auto move = [x, y](Box& box) {
      box.x += x;
      box.y += y;
    };
    move(region.box);
    std::visit(
        [&move](auto& meaning) {
          if constexpr (requires { meaning.grid; }) move(meaning.grid.cells);
        },
        region.meaning);
    page.regions.push_back(std::move(region));
  }
}

void add_box(Figure& figure, const Box& box, Color color, float rounding) {
  figure.items.emplace_back(FilledRect{box, color, rounding});
}

void add_frame(Figure& figure, const Box& box, Color color, float thickness, float rounding) {
  figure.items.emplace_back(StrokedRect{box, color, thickness, rounding});
}

void add_line(Figure& figure, Point from, Point to, Color color, float thickness) {
  figure.items.emplace_back(Line{from, to, color, thickness});
}

void add_text(Figure& figure, std::string text, Point at, Color color, float size, Font font,
              HorizontalAnchor horizontal, VerticalAnchor vertical) {
  figure.items.emplace_back(Label{std::move(text), at, color, size, font, horizontal, vertical});
}

const CellGrid* cells_in(const Page& page, std::string_view slot) {
  for (const HitRegion& region : page.regions) {
    const auto* cells = std::get_if<StageCells>(&region.meaning);
    if (cells != nullptr && cells->slot == slot) return &cells->grid;
  }
  return nullptr;
}

Page centered(const Page& page, const Box& part, float width, float height) {
  Page moved_page;
  moved_page.figure.background = page.figure.background;
  const float x = std::floor(std::max(0.0F, 0.5F * (width - part.w)) - part.x);
  const float y = std::floor(std::max(0.0F, 0.5F * (height - part.h)) - part.y);
  append(moved_page, page, x, y);
  return moved_page;
}

}  // namespace headscope
