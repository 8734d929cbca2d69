#include "app/widgets/tabs.h"

#include <algorithm>
#include <cmath>

#include "app/widgets/paint.h"
#include "app/widgets/text.h"

namespace headscope {
namespace {

constexpr float detail_size = 10.0F;

float tab_width(const Ui& ui, const Tab& tab) {
  const float name = paint::text_width(ui, tab.name, Font::sans_bold, text_size::body);
  const float detail = paint::text_width(ui, tab.detail, Font::mono, detail_size);
  const float sides = tab.before.empty() ? 16.0F : 10.0F;
  return std::round(std::max(name, detail) + ui.px(sides));
}

/// The space between a tab and the tab before it.
float gap_before(const Ui& ui, const Tab& tab) {
  return ui.px(tab.before.empty() ? 4.0F : 16.0F);
}

float strip_height(const Ui& ui, std::span<const Tab> tabs) {
  const bool has_details = std::ranges::any_of(tabs, [](const Tab& tab) { return !tab.detail.empty(); });
  return has_details ? ui.px(38) : ui.px(28);
}

void paint_tab(Ui& ui, const Tab& tab, ImVec2 min, ImVec2 max, bool selected, bool hovered) {
  const Theme& theme = ui.theme();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (selected) list.AddRectFilled(min, max, paint::ink(theme.control), ui.px(6));
  const float middle = (min.x + max.x) / 2.0F;
  const float name_y = tab.detail.empty() ? (min.y + max.y) / 2.0F : min.y + ui.px(12.5F);
  paint::text(ui, list, middle, name_y, tab.name, selected ? Font::sans_bold : Font::sans, text_size::body,
              selected || hovered ? theme.text : theme.quiet, paint::Align::center);
  paint::text(ui, list, middle, min.y + ui.px(27), tab.detail, Font::mono, detail_size,
              mixed(theme.panel, theme.quiet, 0.85F), paint::Align::center);
}

/// A strip of tabs that may be wider than its room, so that only a part is visible. Lengths are in pixels.
struct Strip {
  ImVec2 min, max;
  float needed;  ///< the width of all tabs
  float scroll;

  float room() const { return max.x - min.x; }
  float most() const { return std::max(0.0F, needed - room()); }
  bool more_left() const { return scroll > 0.5F; }
  bool more_right() const { return scroll < most() - 0.5F; }
  void scroll_into_view(float left, float right, float margin) {
    if (left - margin < scroll) scroll = left - margin;
    if (right + margin > scroll + room()) scroll = right + margin - room();
    scroll = std::clamp(scroll, 0.0F, most());
  }
};

/// A mark at an edge behind which more tabs are hidden; a click scrolls there. Returns the pixels to scroll
/// by.
float more_mark(Ui& ui, const Strip& strip, bool at_left) {
  const float width = ui.px(16);
  const ImVec2 corner(at_left ? strip.min.x : strip.max.x - width, strip.min.y);
  ImGui::SetCursorScreenPos(corner);
  const bool clicked =
      invisible_button(at_left ? "##left" : "##right", ImVec2(width, strip.max.y - strip.min.y));
  const Color color = ImGui::IsItemHovered() ? ui.theme().text : ui.theme().quiet;
  paint::text(ui, *ImGui::GetWindowDrawList(), corner.x + width / 2.0F, (strip.min.y + strip.max.y) / 2.0F,
              at_left ? "‹" : "›", Font::sans, text_size::title, color, paint::Align::center);
  tooltip_for_item(ui, "More tabs");
  if (!clicked) return 0.0F;
  return (at_left ? -0.6F : 0.6F) * strip.room();
}

/// Scrolls with the wheel and the marks.
void scroll_strip(Ui& ui, Strip& strip) {
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(strip.min, strip.max)) {
    strip.scroll -= (io.MouseWheel + io.MouseWheelH) * ui.px(60);
  }
  if (strip.more_left()) strip.scroll += more_mark(ui, strip, true);
  if (strip.more_right()) strip.scroll += more_mark(ui, strip, false);
  strip.scroll = std::clamp(strip.scroll, 0.0F, strip.most());
}

/// One tab. Tabs cut by an edge or a mark can be reached with the keyboard but are not painted. Returns true
/// if clicked.
bool tab_button(Ui& ui, const Tab& tab, const Strip& strip, float left, float width, bool selected) {
  const ImVec2 min(std::round(strip.min.x + left - strip.scroll), strip.min.y);
  const ImVec2 max(min.x + width, strip.max.y);
  ImGui::SetCursorScreenPos(min);
  const bool clicked = invisible_button("##tab", ImVec2(width, max.y - min.y));
  const float mark = ui.px(16);
  const bool in_sight = min.x >= strip.min.x + (strip.more_left() ? mark : -1.0F) &&
                        max.x <= strip.max.x - (strip.more_right() ? mark : -1.0F);
  if (!in_sight) return clicked && ImGui::IsItemFocused() && ImGui::GetIO().NavVisible;
  paint_tab(ui, tab, min, max, selected, ImGui::IsItemHovered());
  if (!tab.before.empty() && left > strip.scroll)
    paint::text(ui, *ImGui::GetWindowDrawList(), min.x - gap_before(ui, tab) / 2.0F, (min.y + max.y) / 2.0F,
                tab.before, Font::sans, text_size::small, ui.theme().quiet, paint::Align::center);
  paint::focus_ring(ui, *ImGui::GetWindowDrawList(), ui.px(4));
  tooltip_for_item(ui, tab.tooltip.c_str());
  return clicked;
}

}  // namespace

float tabs_width(Ui& ui, std::span<const Tab> tabs) {
  float width = 0.0F;
  for (const Tab& tab : tabs)
    width += tab_width(ui, tab) + (&tab == &tabs.front() ? 0.0F : gap_before(ui, tab));
  return width;
}

bool tabs(Ui& ui, const char* id, std::span<const Tab> tabs, int& selected, float width) {
  if (width <= 0.0F) width = ImGui::GetContentRegionAvail().x;
  const ImVec2 min = ImGui::GetCursorScreenPos();
  ImGui::PushID(id);
  ImGuiStorage& storage = *ImGui::GetStateStorage();
  const ImGuiID scroll_id = ImGui::GetID("##scroll");
  const ImGuiID shown_id = ImGui::GetID("##shown");
  Strip strip{min, ImVec2(min.x + width, min.y + strip_height(ui, tabs)), tabs_width(ui, tabs),
              storage.GetFloat(scroll_id)};
  const ImGuiID beyond_id = ImGui::GetID("##beyond");
  const float beyond = tabs_width(ui, tabs) - width;
  // A newly chosen tab is scrolled into view, and stays there when the width of the strip changes.
  const bool comes_in_sight =
      storage.GetInt(shown_id, -1) != selected || beyond != storage.GetFloat(beyond_id, beyond);
  storage.SetInt(shown_id, selected);
  storage.SetFloat(beyond_id, beyond);
  ImGui::BeginGroup();
  // Hidden tabs must not take clicks from what is drawn in their place.
  ImGui::PushClipRect(strip.min, strip.max, true);
  scroll_strip(ui, strip);
  bool changed = false;
  float left = 0.0F;
  for (int i = 0; i < static_cast<int>(tabs.size()); ++i) {
    const Tab& tab = tabs[static_cast<std::size_t>(i)];
    const float tab_room = tab_width(ui, tab);
    if (i > 0) left += gap_before(ui, tab);
    if (i == selected && comes_in_sight) {
      strip.scroll_into_view(left, left + tab_room, ui.px(28));
      ui.wake_in(0.0);  // the tabs before it were drawn at the old place
    }
    ImGui::PushID(i);
    if (tab_button(ui, tab, strip, left, tab_room, i == selected) && i != selected) {
      selected = i;
      changed = true;
    }
    ImGui::PopID();
    left += tab_room;
  }
  ImGui::PopClipRect();
  ImGui::EndGroup();
  storage.SetFloat(scroll_id, strip.scroll);
  ImGui::PopID();
  ImGui::SetCursorScreenPos(min);
  ImGui::Dummy(ImVec2(std::min(width, strip.needed), strip.max.y - min.y));
  return changed;
}

}  // namespace headscope
