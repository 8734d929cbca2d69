#include "app/ui/figure_painter.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <numbers>

#include "core/figure/paintable.h"

namespace headscope {
namespace {

/// Paints items in order. Lines are stroked along their points and rectangles along their edges, as in Cairo.
/// ImGui's AddLine and AddRect would move them by half a pixel.
class ImGuiPainter {
 public:
  ImGuiPainter(Ui& ui, ImDrawList& list, ImVec2 origin, float zoom)
      : ui_(ui), list_(list), origin_(origin), zoom_(zoom) {}

  void operator()(const FilledRect& rect) {
    list_.AddRectFilled(top_left(rect.box), bottom_right(rect.box), packed(rect.color),
                        rect.rounding * zoom_);
  }
  void operator()(const StrokedRect& rect) {
    list_.PathRect(top_left(rect.box), bottom_right(rect.box), rect.rounding * zoom_);
    list_.PathStroke(packed(rect.color), ImDrawFlags_Closed, rect.thickness * zoom_);
  }
  void operator()(const Line& line) {
    if (is_in_sight(at(line.from).y, at(line.to).y, line.thickness))
      stroke(at(line.from), at(line.to), line.color, line.thickness);
  }
  void operator()(const Curve& curve) {
    list_.AddBezierCubic(at(curve.from), at(curve.control_1), at(curve.control_2), at(curve.to),
                         packed(curve.color), curve.thickness * zoom_);
  }
  void operator()(const Ribbon& ribbon);
  void operator()(const Raster& raster) {
    const ImTextureID texture = ui_.textures.of(raster.image);
    if (texture == no_texture) return;
    list_.AddImage(texture, top_left(raster.box), bottom_right(raster.box));
  }
  void operator()(const Hatch& hatch);
  void operator()(const ClipBegin& clip) {
    list_.PushClipRect(top_left(clip.box), bottom_right(clip.box), true);
    ++open_clips_;
  }
  void operator()(const ClipEnd&) {
    if (open_clips_ == 0) return;
    list_.PopClipRect();
    --open_clips_;
  }
  void operator()(const Label& label);

  void close_clips() {
    while (open_clips_ > 0) (*this)(ClipEnd{});
  }

 private:
  ImVec2 at(Point point) const { return {origin_.x + point.x * zoom_, origin_.y + point.y * zoom_}; }
  ImVec2 top_left(const Box& box) const { return at({box.x, box.y}); }
  ImVec2 bottom_right(const Box& box) const { return at({box.right(), box.bottom()}); }
  /// Whether a part between these heights is within the clip rectangle. Pages may be much higher than that.
  bool is_in_sight(float from, float to, float thickness) const {
    const float around = thickness * zoom_ + 1.0F;
    return std::max(from, to) + around >= list_.GetClipRectMin().y &&
           std::min(from, to) - around <= list_.GetClipRectMax().y;
  }
  void stroke(ImVec2 from, ImVec2 to, Color color, float thickness) {
    list_.PathLineTo(from);
    list_.PathLineTo(to);
    list_.PathStroke(packed(color), 0, thickness * zoom_);
  }
  void turn(int first_vertex, ImVec2 about, float degrees);

  Ui& ui_;
  ImDrawList& list_;
  ImVec2 origin_;
  float zoom_;
  int open_clips_ = 0;
};

/// ImGui fills convex shapes only, so the band is made of upright slices. Their own smoothing would show
/// between them; the strokes along both edges smooth the whole.
void ImGuiPainter::operator()(const Ribbon& ribbon) {
  const Curve upper = ribbon.upper();
  const Curve lower = ribbon.lower();
  const auto point = [&](const Curve& edge, float t) {
    return ImBezierCubicCalc(at(edge.from), at(edge.control_1), at(edge.control_2), at(edge.to), t);
  };
  constexpr int n_slices = 32;
  const ImDrawListFlags flags = list_.Flags;
  list_.Flags &= ~ImDrawListFlags_AntiAliasedFill;
  for (int i = 0; i < n_slices; ++i) {
    const float left = static_cast<float>(i) / static_cast<float>(n_slices);
    const float right = static_cast<float>(i + 1) / static_cast<float>(n_slices);
    list_.AddQuadFilled(point(upper, left), point(upper, right), point(lower, 1.0F - right),
                        point(lower, 1.0F - left), packed(ribbon.color));
  }
  list_.Flags = flags;
  // A stroke would make a band that is thinner than a pixel visible, which it is not in a file.
  if (std::max(ribbon.from_height, ribbon.to_height) * zoom_ < 1.0F) return;
  for (const Curve& edge : {upper, lower}) (*this)(edge);
}

/// Draws strokes rising to the right where x + y is a multiple of the spacing, clipped to the box.
void ImGuiPainter::operator()(const Hatch& hatch) {
  const Box& box = hatch.box;
  const float step = hatch.spacing * std::numbers::sqrt2_v<float>;
  const auto first = static_cast<int>(std::ceil((box.x + box.y) / step));
  const auto end = static_cast<int>(std::ceil((box.right() + box.bottom()) / step));
  for (int i = first; i < end; ++i) {
    const float sum = static_cast<float>(i) * step;
    const float left = std::max(box.x, sum - box.bottom());
    const float right = std::min(box.right(), sum - box.y);
    if (left < right) stroke(at({left, sum - left}), at({right, sum - right}), hatch.color, 1.0F);
  }
}

void ImGuiPainter::operator()(const Label& label) {
  const float size = label.size * zoom_ / ui_.scale();
  if (ui_.fonts.uses_shaping(label.text)) {
    Label in_pixels = label;
    in_pixels.at = {at(label.at).x, at(label.at).y};
    in_pixels.size = static_cast<float>(ui_.fonts.pixels(size));
    return ui_.shaped.draw(list_, in_pixels);
  }
  ui_.fonts.request_characters(label.text);
  const SizedFont sized = ui_.fonts.at(label.font, size);
  const char* begin = label.text.data();
  const char* end = begin + label.text.size();
  const float em = size * ui_.scale();
  const float ascent = ui_.fonts.ascent(label.font) * em;
  const float height = ascent + ui_.fonts.descent(label.font) * em;
  ImVec2 corner = at(label.at);
  const ImVec2 anchor = corner;
  if (label.horizontal != HorizontalAnchor::left) {
    const float width = sized.font->CalcTextSizeA(sized.line_height, FLT_MAX, 0.0F, begin, end).x;
    corner.x -= label.horizontal == HorizontalAnchor::center ? width / 2.0F : width;
  }
  if (label.vertical == VerticalAnchor::middle) corner.y -= height / 2.0F;
  if (label.vertical == VerticalAnchor::bottom) corner.y -= height;
  // ImGui's line begins `sized.ascent` above the baseline, which is rounded to a pixel.
  const ImVec2 position(std::round(corner.x), std::round(corner.y + ascent) - std::round(sized.ascent));
  if (label.degrees == 0.0F) {
    list_.AddText(sized.font, sized.line_height, position, packed(label.color), begin, end);
    return;
  }
  // Rotated text may lie inside the clip rectangle even if unrotated text would not, so ImGui must not skip
  // any letters.
  const int first_vertex = list_.VtxBuffer.Size;
  const ImVec4 everywhere(-FLT_MAX, -FLT_MAX, FLT_MAX, FLT_MAX);
  sized.font->RenderText(&list_, sized.line_height, position, packed(label.color), everywhere, begin, end);
  turn(first_vertex, anchor, label.degrees);
}

void ImGuiPainter::turn(int first_vertex, ImVec2 about, float degrees) {
  const float angle = degrees * std::numbers::pi_v<float> / 180.0F;
  const float c = std::cos(angle);
  const float s = std::sin(angle);
  for (int i = first_vertex; i < list_.VtxBuffer.Size; ++i) {
    ImVec2& p = list_.VtxBuffer[i].pos;
    const float x = p.x - about.x;
    const float y = p.y - about.y;
    p = ImVec2(about.x + c * x + s * y, about.y - s * x + c * y);
  }
}

}  // namespace

void paint_figure(Ui& ui, ImDrawList& list, const Figure& figure, ImVec2 origin, float zoom) {
  ImGuiPainter painter(ui, list, origin, zoom);
  paint_items(figure, painter);
  painter.close_clips();
}

ImVec2 figure_item(Ui& ui, const Figure& figure) {
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImGui::Dummy(ImVec2(figure.width * ui.scale(), figure.height * ui.scale()));
  paint_figure(ui, *ImGui::GetWindowDrawList(), figure, origin, ui.scale());
  return origin;
}

}  // namespace headscope
