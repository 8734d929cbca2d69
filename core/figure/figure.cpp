#include "core/figure/figure.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/figure/text_fit.h"

namespace headscope {
namespace {

/// Enlarges an item by a factor and then moves it.
void transform(Item& all, float by, float dx, float dy) {
  const auto place = [&](Point& p) { p = {p.x * by + dx, p.y * by + dy}; };
  const auto transform_one = [&](auto& item) {
    if constexpr (requires { item.box; })
      item.box = {item.box.x * by + dx, item.box.y * by + dy, item.box.w * by, item.box.h * by};
    if constexpr (requires { item.at; }) place(item.at);
    if constexpr (requires { item.from; }) place(item.from);
    if constexpr (requires { item.control_1; }) place(item.control_1);
    if constexpr (requires { item.control_2; }) place(item.control_2);
    if constexpr (requires { item.to; }) place(item.to);
    if constexpr (requires { item.from_height; }) item.from_height *= by;
    if constexpr (requires { item.to_height; }) item.to_height *= by;
    if constexpr (requires { item.thickness; }) item.thickness *= by;
    if constexpr (requires { item.rounding; }) item.rounding *= by;
    if constexpr (requires { item.spacing; }) item.spacing *= by;
    if constexpr (requires { item.size; }) item.size *= by;
  };
  std::visit(transform_one, all);
}

/// The part of a figure's height that an item takes.
struct Extents {
  float top = 0.0F, bottom = 0.0F;
  /// Whether it is a bold text or in the font of formulas, which belong to what is below them.
  bool is_heading = false;
};

Extents extents_of(const Line& line) {
  return {std::min(line.from.y, line.to.y), std::max(line.from.y, line.to.y)};
}
Extents extents_of(const Curve& curve) {
  const auto [top, bottom] = std::minmax({curve.from.y, curve.control_1.y, curve.control_2.y, curve.to.y});
  return {top, bottom};
}
Extents extents_of(const Ribbon& ribbon) {
  return {std::min(ribbon.from.y, ribbon.to.y),
          std::max(ribbon.from.y + ribbon.from_height, ribbon.to.y + ribbon.to_height)};
}
Extents extents_of(const Label& label) {
  constexpr float line = 1.2F;
  constexpr float letter = 0.65F;
  const float height = line * label.size;
  if (label.degrees != 0.0F) {
    const float reach = letter * label.size * static_cast<float>(count_code_points(label.text));
    return {label.at.y - reach, label.at.y + reach};
  }
  const float top = label.vertical == VerticalAnchor::top      ? label.at.y
                    : label.vertical == VerticalAnchor::middle ? label.at.y - 0.5F * height
                                                               : label.at.y - height;
  return {top, top + height, label.font != Font::sans};
}
Extents extents_of(const ClipEnd& /*end*/) {
  return {};
}
/// Every other item has a box.
Extents extents_of(const auto& item) {
  return {item.box.y, item.box.bottom()};
}
Extents extents_of(const Item& item) {
  return std::visit([](const auto& each) { return extents_of(each); }, item);
}

/// What is clipped counts, not the clip itself.
bool is_clip(const Item& item) {
  return std::holds_alternative<ClipBegin>(item) || std::holds_alternative<ClipEnd>(item);
}

/// Gaps up to this size, such as below a title, do not separate parts.
constexpr float narrow_gap = 9.0F;

/// The parts of a figure between which nothing is drawn, from top to bottom.
std::vector<Extents> separate_parts(const Figure& figure) {
  std::vector<Extents> all;
  for (const Item& item : figure.items)
    if (!is_clip(item)) all.push_back(extents_of(item));
  std::ranges::sort(all, {}, &Extents::top);
  std::vector<Extents> parts;
  for (const Extents& each : all) {
    if (parts.empty() || each.top > parts.back().bottom + narrow_gap) {
      parts.push_back(each);
      continue;
    }
    parts.back().bottom = std::max(parts.back().bottom, each.bottom);
    parts.back().is_heading = parts.back().is_heading && each.is_heading;
  }
  return parts;
}

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

Figure beginning_of(Figure figure, float most) {
  if (figure.height <= most) return figure;
  std::vector<Extents> parts = separate_parts(figure);
  const float below = parts.empty() ? 0.0F : std::max(figure.height - parts.back().bottom, 0.0F);
  while (!parts.empty() && (parts.back().bottom + below > most || parts.back().is_heading)) parts.pop_back();
  const float end = parts.empty() ? 0.0F : parts.back().bottom;
  constexpr float least = 0.5F;
  if (end < least * most) return figure;
  std::erase_if(figure.items, [&](const Item& item) { return !is_clip(item) && extents_of(item).top > end; });
  figure.height = std::ceil(end + below);
  return figure;
}

Figure scaled(Figure figure, float by) {
  figure.width *= by;
  figure.height *= by;
  for (Item& item : figure.items) transform(item, by, 0.0F, 0.0F);
  return figure;
}

void append(Figure& figure, const Figure& part, float x, float y) {
  figure.items.reserve(figure.items.size() + part.items.size());
  for (Item item : part.items) {
    transform(item, 1.0F, x, y);
    figure.items.push_back(std::move(item));
  }
}

}  // namespace headscope
