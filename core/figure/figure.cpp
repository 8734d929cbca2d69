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
  void operator()(Label& label) const { label.at = moved(label.at); }
  void operator()(ClipEnd& /*end*/) const {}
  template <class Boxed>
  void operator()(Boxed& item) const {
    item.box.x += dx;
    item.box.y += dy;
  }
};

}  // namespace

void append(Figure& figure, const Figure& part, float x, float y) {
  const Mover mover{x, y};
  figure.items.reserve(figure.items.size() + part.items.size());
  for (Item item : part.items) {
    std::visit(mover, item);
    figure.items.push_back(std::move(item));
  }
}

}  // namespace headscope
