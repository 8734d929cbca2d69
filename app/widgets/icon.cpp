#include "app/widgets/icon.h"

#include <array>
#include <cmath>

#include "app/widgets/paint.h"
#include "app/widgets/text.h"

namespace headscope {
namespace {

constexpr float pi = 3.14159265F;

/// Paints an arc over the centre that ends in an arrowhead on the left (`side` is −1) or on the right (1).
void paint_turn(const Ui& ui, ImDrawList& list, ImVec2 center, float side, ImU32 ink) {
  const float radius = ui.px(4.5F);
  const float line = ui.px(1.5F);
  const ImVec2 middle{center.x, center.y + ui.px(1.5F)};
  // The arc runs from the arrowhead, which points down, over the top to the other side.
  constexpr int segments = 20;
  const float from = side < 0.0F ? pi : 0.0F;
  for (int i = 0; i <= segments; ++i) {
    const float turn = 1.4F * pi * static_cast<float>(i) / static_cast<float>(segments);
    const float angle = side < 0.0F ? from + turn : from - turn;
    list.PathLineTo({middle.x + radius * std::cos(angle), middle.y + radius * std::sin(angle)});
  }
  list.PathStroke(ink, ImDrawFlags_None, line);
  const ImVec2 tip{middle.x + side * radius, middle.y + ui.px(1.0F)};
  const float arm = ui.px(3.0F);
  const std::array<ImVec2, 3> head{ImVec2(tip.x - arm, tip.y - arm), tip, ImVec2(tip.x + arm, tip.y - arm)};
  list.AddPolyline(head.data(), static_cast<int>(head.size()), ink, ImDrawFlags_None, line);
}

}  // namespace

void paint_icon(const Ui& ui, ImDrawList& list, Icon icon, ImVec2 center, Color color) {
  const ImU32 ink = paint::ink(color);
  switch (icon) {
    case Icon::undo:
      return paint_turn(ui, list, center, -1.0F, ink);
    case Icon::redo:
      return paint_turn(ui, list, center, 1.0F, ink);
    case Icon::find: {
      const float radius = ui.px(4.0F);
      const ImVec2 glass{center.x - ui.px(1.0F), center.y - ui.px(1.0F)};
      list.AddCircle(glass, radius, ink, 0, ui.px(1.4F));
      const float edge = 0.71F * radius;
      list.AddLine({glass.x + edge, glass.y + edge},
                   {glass.x + edge + ui.px(3.2F), glass.y + edge + ui.px(3.2F)}, ink, ui.px(1.4F));
      return;
    }
    case Icon::more:
      for (const float x : {-5.0F, 0.0F, 5.0F})
        list.AddCircleFilled({center.x + ui.px(x), center.y}, ui.px(1.4F), ink);
      return;
  }
}

bool icon_button(Ui& ui, Icon icon, const char* id, const char* tooltip, bool enabled) {
  const Theme& theme = ui.theme();
  const float side = ui.px(icon_button_size);
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const ImVec2 max{min.x + side, min.y + side};
  const bool clicked = invisible_button(id, {side, side});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (enabled && ImGui::IsItemHovered()) list.AddRectFilled(min, max, paint::ink(theme.control), ui.px(6));
  paint_icon(ui, list, icon, {(min.x + max.x) / 2.0F, (min.y + max.y) / 2.0F},
             enabled ? theme.text : mixed(theme.panel, theme.quiet, 0.5F));
  paint::focus_ring(ui, list, ui.px(6));
  tooltip_for_item(ui, tooltip);
  return clicked && enabled;
}

}  // namespace headscope
