#include "core/figure/figure.h"

namespace headscope {
namespace {

/// Enlarges an item by a factor and then moves it.
struct Transform {
  float by, dx, dy;

  void apply(Point& p) const { p = {p.x * by + dx, p.y * by + dy}; }
  void apply(Box& box) const { box = {box.x * by + dx, box.y * by + dy, box.w * by, box.h * by}; }
  void operator()(FilledRect& rect) const {
    apply(rect.box);
    rect.rounding *= by;
  }
  void operator()(StrokedRect& rect) const {
    apply(rect.box);
    rect.thickness *= by;
    rect.rounding *= by;
  }
  void operator()(Line& line) const {
    for (Point* p : {&line.from, &line.to}) apply(*p);
    line.thickness *= by;
  }
  void operator()(Curve& curve) const {
    for (Point* p : {&curve.from, &curve.control_1, &curve.control_2, &curve.to}) apply(*p);
    curve.thickness *= by;
  }
  void operator()(Ribbon& ribbon) const {
    for (Point* p : {&ribbon.from, &ribbon.to}) apply(*p);
    for (float* height : {&ribbon.from_height, &ribbon.to_height}) *height *= by;
  }
  void operator()(Label& label) const {
    apply(label.at);
    label.size *= by;
  }
  void operator()(Raster& raster) const { apply(raster.box); }
  void operator()(Hatch& hatch) const {
    apply(hatch.box);
    hatch.spacing *= by;
  }
  void operator()(ClipBegin& clip) const { apply(clip.box); }
  void operator()(ClipEnd& /*end*/) const {}
};

}  // namespace

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

Figure scaled(Figure figure, float by) {
  figure.width *= by;
  figure.height *= by;
  for (Item& item : figure.items) std::visit(Transform{by, 0.0F, 0.0F}, item);
  return figure;
}

void append(Figure& figure, const Figure& part, float x, float y) {
  figure.items.reserve(figure.items.size() + part.items.size());
  for (Item item : part.items) {
    std::visit(Transform{1.0F, x, y}, item);
    figure.items.push_back(std::move(item));
  }
}

}  // namespace headscope
