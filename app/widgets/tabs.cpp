#include "app/widgets/tabs.h"

#include <algorithm>
#include <cmath>

#include "app/widgets/paint.h"
#include "app/widgets/text.h"

namespace headscope {
namespace {

constexpr float detail_size = 10.0F;

bool has_details(std::span<const Tab> tabs) {
  return std::any_of(tabs.begin(), tabs.end(), [](const Tab& tab) { return !tab.detail.empty(); });
}

float tab_width(const Ui& ui, const Tab& tab) {
  const float name = paint::text_width(ui, tab.name, Font::sans_bold, text_size::body);
  const float detail = paint::text_width(ui, tab.detail, Font::mono, detail_size);
  return std::round(std::max(name, detail) + ui.px(20));
}

float strip_height(const Ui& ui, std::span<const Tab> tabs) {
  return has_details(tabs) ? ui.px(38) : ui.px(28);
}

bool tab_button(Ui& ui, const Tab& tab, ImVec2 size, bool selected) {
  const Theme& theme = ui.theme();
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const ImVec2 max(min.x + size.x, min.y + size.y);
  const bool clicked = ImGui::InvisibleButton("##tab", size);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (selected) list.AddRectFilled(min, max, paint::ink(theme.control), ui.px(6));
  const float middle = (min.x + max.x) / 2.0F;
  const Color color = selected || ImGui::IsItemHovered() ? theme.text : theme.quiet;
  const float name_y = tab.detail.empty() ? (min.y + max.y) / 2.0F : min.y + ui.px(12.5F);
  paint::text(ui, list, middle, name_y, tab.name, selected ? Font::sans_bold : Font::sans, text_size::body,
              color, paint::Align::center);
  paint::text(ui, list, middle, min.y + ui.px(27), tab.detail, Font::mono, detail_size,
              mixed(theme.panel, theme.quiet, 0.85F), paint::Align::center);
  paint::focus_ring(ui, list, ui.px(4));
  tooltip_for_item(ui, tab.tooltip.c_str());
  return clicked;
}

/// A triangle at an edge behind which more tabs are.
void more_mark(const Ui& ui, ImDrawList& list, ImVec2 min, ImVec2 max, bool at_left) {
  const float width = ui.px(14);
  const Color ground = ui.theme().panel;
  const float x = at_left ? min.x : max.x - width;
  list.AddRectFilled(ImVec2(x, min.y), ImVec2(x + width, max.y), paint::ink(ground));
  paint::text(ui, list, x + width / 2.0F, (min.y + max.y) / 2.0F, at_left ? "‹" : "›", Font::sans,
              text_size::title, ui.theme().quiet, paint::Align::center);
}

/// Where the strip is scrolled to, so that a newly chosen tab is in sight.
float scroll_for(float scroll, float left, float right, float room, float margin) {
  if (left - margin < scroll) return left - margin;
  if (right + margin > scroll + room) return right + margin - room;
  return scroll;
}

}  // namespace

float tabs_width(Ui& ui, std::span<const Tab> tabs) {
  float width = 0.0F;
  for (const Tab& tab : tabs) width += tab_width(ui, tab) + ui.px(4);
  return std::max(0.0F, width - ui.px(4));
}

bool tabs(Ui& ui, const char* id, std::span<const Tab> tabs, int& selected, float width) {
  if (width <= 0.0F) width = ImGui::GetContentRegionAvail().x;
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const ImVec2 max(min.x + width, min.y + strip_height(ui, tabs));
  const float needed = tabs_width(ui, tabs);
  const float most = std::max(0.0F, needed - width);
  ImGui::PushID(id);
  ImGuiStorage& storage = *ImGui::GetStateStorage();
  const ImGuiID scroll_id = ImGui::GetID("##scroll");
  const ImGuiID shown_id = ImGui::GetID("##shown");
  float scroll = storage.GetFloat(scroll_id);
  const bool newly_chosen = storage.GetInt(shown_id, -1) != selected;
  const ImGuiIO& io = ImGui::GetIO();
  if (most > 0.0F && ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(min, max)) {
    scroll -= (io.MouseWheel + io.MouseWheelH) * ui.px(60);
  }
  bool changed = false;
  ImGui::BeginGroup();
  ImGui::PushClipRect(ImVec2(min.x - ui.px(2), min.y - ui.px(2)), ImVec2(max.x + ui.px(2), max.y + ui.px(2)),
                      true);
  float left = 0.0F;
  for (int i = 0; i < static_cast<int>(tabs.size()); ++i) {
    const Tab& tab = tabs[static_cast<std::size_t>(i)];
    const ImVec2 size(tab_width(ui, tab), max.y - min.y);
    if (i == selected && newly_chosen) scroll = scroll_for(scroll, left, left + size.x, width, ui.px(30));
    scroll = std::clamp(scroll, 0.0F, most);
    ImGui::SetCursorScreenPos(ImVec2(std::round(min.x + left - scroll), min.y));
    ImGui::PushID(i);
    if (tab_button(ui, tab, size, i == selected) && i != selected) {
      selected = i;
      changed = true;
    }
    ImGui::PopID();
    left += size.x + ui.px(4);
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (scroll > 0.5F) more_mark(ui, list, min, max, true);
  if (scroll < most - 0.5F) more_mark(ui, list, min, max, false);
  ImGui::PopClipRect();
  ImGui::EndGroup();
  storage.SetFloat(scroll_id, scroll);
  storage.SetInt(shown_id, selected);
  ImGui::PopID();
  ImGui::SetCursorScreenPos(min);
  ImGui::Dummy(ImVec2(std::min(width, needed), max.y - min.y));
  return changed;
}

}  // namespace headscope
