#include <algorithm>
#include <cmath>

#include "core/figure/colormap.h"
#include "core/figure/diagram.h"
#include "core/figure/text_fit.h"

namespace headscope {
namespace {

constexpr float box_rounding = 5.0F;
constexpr float box_inset = 10.0F;
constexpr float name_size = 13.0F;
constexpr float detail_size = 11.0F;
constexpr float way_thickness = 1.5F;

/// A point at a distance from one point towards another, but not beyond the middle between them.
Point on_the_way(Point from, Point to, float distance) {
  const float length = std::hypot(to.x - from.x, to.y - from.y);
  if (length <= 0.0F) return from;
  const float share = std::min(distance / length, 0.5F);
  return {from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share};
}

void draw_arrowhead(Point from, Point tip, Color color, Figure& figure) {
  constexpr float length = 5.0F;
  constexpr float half_width = 3.5F;
  const float whole = std::hypot(tip.x - from.x, tip.y - from.y);
  if (whole <= 0.0F) return;
  const Point along{(tip.x - from.x) / whole * length, (tip.y - from.y) / whole * length};
  const Point across{-along.y / length * half_width, along.x / length * half_width};
  for (const float side : {-1.0F, 1.0F}) {
    const Point wing{tip.x - along.x + side * across.x, tip.y - along.y + side * across.y};
    add_line(figure, wing, tip, color, way_thickness);
  }
}

/// Draws straight lines from point to point with round corners.
void draw_route(const DiagramRoute& points, Color color, Figure& figure) {
  constexpr float radius = 7.0F;
  Point at = points.front();
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    const Point corner = points[i];
    const Point before = on_the_way(corner, points[i - 1], radius);
    const Point after = on_the_way(corner, points[i + 1], radius);
    add_line(figure, at, before, color, way_thickness);
    figure.items.emplace_back(Curve{before, corner, corner, after, color, way_thickness});
    at = after;
  }
  add_line(figure, at, points.back(), color, way_thickness);
  draw_arrowhead(at, points.back(), color, figure);
}

void draw_frame(const DiagramFrame& frame, const Theme& theme, Figure& figure) {
  const float rounding = frame.is_layer ? 8.0F : box_rounding;
  const Color ground = frame.is_layer ? mixed(theme.panel, theme.accent, 0.05F) : theme.panel;
  const Color edge = frame.is_layer ? mixed(theme.panel, theme.accent, 0.4F) : theme.line;
  add_box(figure, frame.box, ground, rounding);
  add_frame(figure, frame.box, edge, 1.0F, rounding);
}

/// The text at the right of a box.
const std::string& detail_of(const DiagramBox& part, const DiagramMark& mark) {
  return mark.note.empty() ? part.detail : mark.note;
}

/// Draws the picture of a box. A faint one only hints at its numbers, so that those of attention and of the
/// row that is followed stand out.
void draw_picture(const DiagramMark& mark, const Box& room, bool is_faint, const Theme& theme,
                  Figure& figure) {
  constexpr float veil = 0.62F;
  constexpr float min_row = 2.0F;
  const Figure& picture = *mark.picture;
  if (picture.items.empty()) return;
  const Box shown{room.x + (room.w - picture.width) / 2.0F, room.y + (room.h - picture.height) / 2.0F,
                  picture.width, picture.height};
  append(figure, picture, shown.x, shown.y);
  const Color color = with_opacity(theme.ground, veil);
  if (is_faint && mark.row_bottom <= mark.row_top) add_box(figure, shown, color);
  if (is_faint && mark.row_bottom > mark.row_top) {
    const float height = std::max(shown.h * (mark.row_bottom - mark.row_top), min_row);
    const float middle = shown.h * (mark.row_top + mark.row_bottom) / 2.0F;
    const float top = std::clamp(middle - height / 2.0F, 0.0F, std::max(shown.h - height, 0.0F));
    add_box(figure, {shown.x, shown.y, shown.w, top}, color);
    add_box(figure, {shown.x, shown.y + top + height, shown.w, std::max(shown.h - top - height, 0.0F)},
            color);
  }
  add_frame(figure, shown, theme.line);
}

/// Writes the name of a box and, below it, its shape, what has changed in it or what it answers.
void draw_words(const DiagramBox& part, const DiagramMark& mark, const Theme& theme,
                const MeasureText& measure, Figure& figure) {
  constexpr float name_line = 16.0F;
  constexpr float detail_line = 13.0F;
  const float left = part.box.x + box_inset;
  const float room = (part.picture.w > 0.0F ? part.picture.x : part.box.right()) - 6.0F - left;
  const bool has_detail = mark.has_shape || !mark.note.empty();
  const float top = part.box.y + (part.box.h - name_line - (has_detail ? detail_line : 0.0F)) / 2.0F;
  const Font name_font = mark.chosen ? Font::sans_bold : Font::sans;
  figure.write(elided_text(part.name, room, name_font, name_size, measure), {left, top},
               part.is_folded ? theme.quiet : theme.text, name_size, name_font);
  if (!has_detail) return;
  const std::string& detail = detail_of(part, mark);
  const Font font = mark.note.empty() ? Font::mono : Font::sans;
  figure.write(elided_text(detail, room, font, detail_size, measure), {left, top + name_line},
               mark.note.empty() ? theme.quiet : theme.accent, detail_size, font);
}

/// Writes the only word of a box, above its picture or in its middle.
void draw_word(const DiagramBox& part, const DiagramMark& mark, const Theme& theme, Figure& figure) {
  const float height = part.picture.w > 0.0F ? part.picture.y - part.box.y : part.box.h;
  Label name{part.name,
             {part.box.x + part.box.w / 2.0F, part.box.y + height / 2.0F},
             part.is_folded ? theme.quiet : theme.text,
             detail_size,
             mark.chosen ? Font::sans_bold : Font::sans};
  name.horizontal = HorizontalAnchor::center;
  name.vertical = VerticalAnchor::middle;
  figure.items.emplace_back(name);
}

void draw_box(const DiagramBox& part, const DiagramMark& mark, const Theme& theme, const MeasureText& measure,
              Figure& figure) {
  const bool marked = mark.chosen || mark.is_source;
  const Color ground = mark.chosen ? mixed(theme.ground, theme.accent, 0.15F) : theme.ground;
  add_box(figure, part.box, ground, box_rounding);
  const bool is_head = part.stage.kind == StageKind::weights;
  if (mark.picture != nullptr) draw_picture(mark, part.picture, !is_head && !marked, theme, figure);
  add_frame(figure, part.box, marked ? theme.accent : theme.line, mark.chosen ? 2.5F : 1.0F, box_rounding);
  if (detail_of(part, mark).empty()) {
    draw_word(part, mark, theme, figure);
  } else {
    draw_words(part, mark, theme, measure, figure);
  }
}

}  // namespace

Figure draw_diagram(const Diagram& diagram, const std::vector<DiagramMark>& marks, const Theme& theme,
                    const MeasureText& measure) {
  Figure figure{diagram.width, diagram.height, theme.panel, {}};
  for (const DiagramFrame& frame : diagram.frames) draw_frame(frame, theme, figure);
  // The caption of a layer is at its corner, beside the path into it; that of heads is centred above them.
  for (const auto& [box, caption, is_layer] : diagram.frames)
    figure.write(caption, {is_layer ? box.x + box_inset : box.x + box.w / 2.0F, box.y + 6.0F}, theme.text,
                 detail_size, is_layer ? Font::sans_bold : Font::sans,
                 is_layer ? HorizontalAnchor::left : HorizontalAnchor::center);
  for (Label label : diagram.labels) {
    label.color = label.font == Font::sans_bold ? theme.text : theme.accent;
    figure.items.emplace_back(label);
  }
  for (std::size_t i = 0; i < diagram.boxes.size(); ++i) {
    draw_box(diagram.boxes[i], marks[i], theme, measure, figure);
  }
  for (const Box& group : diagram.groups) add_box(figure, group, theme.quiet, 1.0F);
  // Paths are drawn last, so that no box covers the tip of an arrowhead.
  for (const DiagramRoute& way : diagram.ways) draw_route(way, theme.quiet, figure);
  for (const DiagramRoute& shortcut : diagram.shortcuts) draw_route(shortcut, theme.accent, figure);
  return figure;
}

}  // namespace headscope
