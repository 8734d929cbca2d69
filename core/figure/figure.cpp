#include "core/figure/figure.h"

namespace headscope {
namespace {

struct Mover {
  float dx, dy;

  Point moved(Point p) const { return {p.x + dx, p.y + dy}; }
  void operator()(Line& line) const {
    line.from = moved(line.from);
    line.to = moved(line.to);
  }
  void operator()(Curve& curve) const {
    curve.from = moved(curve.from);
    curve.control_1 = moved(curve.control_1);
    curve.control_2 = moved(curve.control_2);
    curve.to = moved(curve.to);
  }
  void operator()(Ribbon& ribbon) const {
    ribbon.from = moved(ribbon.from);
    ribbon.to = moved(ribbon.to);
  }
  void operator()(Label& label) const { label.at = moved(label.at); }
  void operator()(ClipEnd& /*end*/) const {}
  template <class Boxed>
  void operator()(Boxed& item) const {
    item.box.x += dx;
    item.box.y += dy;
  }
};

struct Scaler {
  float by;

  void scale(Point& p) const {
    p.x *= by;
    p.y *= by;
  }
  void scale(Box& box) const { box = {box.x * by, box.y * by, box.w * by, box.h * by}; }
  void operator()(Line& line) const {
    scale(line.from);
    scale(line.to);
    line.thickness *= by;
  }
  void operator()(Curve& curve) const {
    for (Point* p : {&curve.from, &curve.control_1, &curve.control_2, &curve.to}) scale(*p);
    curve.thickness *= by;
  }
  void operator()(Ribbon& ribbon) const {
    for (Point* p : {&ribbon.from, &ribbon.to}) scale(*p);
    for (float* height : {&ribbon.from_height, &ribbon.to_height}) *height *= by;
  }
  void operator()(Label& label) const {
    scale(label.at);
    label.size *= by;
  }
  void operator()(FilledRect& rect) const {
    scale(rect.box);
    rect.rounding *= by;
  }
  void operator()(StrokedRect& rect) const {
    scale(rect.box);
    rect.thickness *= by;
    rect.rounding *= by;
  }
  void operator()(Raster& raster) const { scale(raster.box); }
  void operator()(Hatch& hatch) const {
    scale(hatch.box);
    hatch.spacing *= by;
  }
  void operator()(ClipBegin& clip) const { scale(clip.box); }
  void operator()(ClipEnd& /*end*/) const {}
};

}  // namespace

Figure scaled(Figure figure, float by) {
  figure.width *= by;
  figure.height *= by;
  for (Item& item : figure.items) std::visit(Scaler{by}, item);
  return figure;
}

void append(Figure& figure, const Figure& part, float x, float y) {
  const Mover mover{x, y};
  figure.items.reserve(figure.items.size() + part.items.size());
  for (Item item : part.items) {
    std::visit(mover, item);
    figure.items.push_back(std::move(item));
  }
}

}  // namespace headscope
