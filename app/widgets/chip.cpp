#include "app/widgets/chip.h"

#include <cmath>

#include "app/widgets/paint.h"
#include "app/widgets/text.h"

namespace headscope {
namespace {

constexpr float padding = 12.0F;
constexpr float gap = 10.0F;
constexpr float arm = 3.5F;  ///< of the cross

}  // namespace

float chip_width(const Ui& ui, const char* label) {
  return std::ceil(paint::text_width(ui, paint::visible(label), Font::sans_bold, text_size::control)) +
         ui.px(2.0F * padding + gap + 2.0F * arm);
}

bool ending_chip(Ui& ui, const char* label, const char* tooltip) {
  const Theme& theme = ui.theme();
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const ImVec2 max(min.x + chip_width(ui, label), min.y + ui.px(26));
  const bool clicked = invisible_button(label, {max.x - min.x, max.y - min.y});
  const bool is_hovered = ImGui::IsItemHovered();
  if (is_hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float rounding = (max.y - min.y) / 2.0F;
  paint::card(ui, list, min, max, theme.accent_soft, is_hovered ? theme.accent : theme.accent_soft, rounding);
  const float middle = (min.y + max.y) / 2.0F;
  paint::text(ui, list, min.x + ui.px(padding), middle, paint::visible(label), Font::sans_bold,
              text_size::control, theme.text);
  const ImVec2 cross(max.x - ui.px(padding + arm), middle);
  const float half = ui.px(arm);
  const ImU32 ink = packed(theme.text);
  list.AddLine({cross.x - half, cross.y - half}, {cross.x + half, cross.y + half}, ink, ui.px(1.4F));
  list.AddLine({cross.x - half, cross.y + half}, {cross.x + half, cross.y - half}, ink, ui.px(1.4F));
  paint::focus_ring(ui, list, rounding);
  tooltip_for_item(ui, tooltip);
  return clicked;
}

}  // namespace headscope
