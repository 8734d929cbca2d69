#include "app/widgets/token_chip.h"

#include <algorithm>

#include "app/widgets/paint.h"
#include "app/widgets/text.h"

namespace headscope {
namespace {

constexpr float widest = 160.0F;

std::string shown_text(const Ui& ui, std::string_view token) {
  return paint::fitted(ui, token, Font::sans, text_size::title, ui.px(widest));
}

/// Whether a token on this background needs dark letters.
bool is_bright(Color color) {
  return color.r * 3 + color.g * 6 + color.b > 1550;
}

}  // namespace

ImVec2 token_chip_size(const Ui& ui, std::string_view token) {
  const float width = paint::text_width(ui, shown_text(ui, token), Font::sans, text_size::title);
  return {std::max(ui.px(24), width + ui.px(24)), ui.px(30)};
}

bool token_chip(Ui& ui, std::string_view token, int index, const ChipLook& look, const char* tooltip) {
  const Theme& theme = ui.theme();
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const ImVec2 size = token_chip_size(ui, token);
  const ImVec2 max(min.x + size.x, min.y + size.y);
  ImGui::PushID(index);
  const bool clicked = invisible_button("##chip", size);
  ImGui::PopID();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Color resting = mixed(theme.panel, theme.accent_soft, 0.2F);
  const Color ground = look.selected ? theme.accent : mixed(resting, theme.accent, 0.55F * look.weight);
  const Color border = look.selected || ImGui::IsItemHovered() ? theme.accent : theme.line;
  paint::card(ui, list, min, max, ground, border, ui.px(6));
  const bool light_theme = is_bright(theme.panel);
  const Color on_filled = is_bright(ground) ? Color{20, 22, 27} : Color{255, 255, 255};
  Color color = look.selected || !light_theme ? on_filled : theme.text;
  if (!look.selected && look.weight <= 0.0F) color = theme.text;
  if (look.struck) color = theme.quiet;
  const float y = (min.y + max.y) / 2.0F;
  const Font font = look.selected ? Font::sans_bold : Font::sans;
  const float width = paint::text(ui, list, (min.x + max.x) / 2.0F, y, shown_text(ui, token), font,
                                  text_size::title, color, paint::Align::center);
  if (look.struck) {
    const float half = width / 2.0F + ui.px(3);
    const float middle = (min.x + max.x) / 2.0F;
    list.AddRectFilled(ImVec2(middle - half, y), ImVec2(middle + half, y + ui.px(1)), paint::ink(color));
  }
  paint::focus_ring(ui, list, ui.px(6));
  tooltip_for_item(ui, tooltip);
  return clicked;
}

}  // namespace headscope
