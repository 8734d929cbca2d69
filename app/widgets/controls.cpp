#include "app/widgets/controls.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "app/imgui/open_menu.h"
#include "app/widgets/paint.h"
#include "app/widgets/slider.h"
#include "app/widgets/text.h"
#include "core/exact_text.h"

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

/// The colour that is legible on the accent: white, or the background colour of the dark theme.
Color on_accent(const Theme& theme) {
  const int brightness = theme.accent.r * 3 + theme.accent.g * 6 + theme.accent.b;
  return brightness > 1550 ? Color{20, 22, 27} : Color{255, 255, 255};
}

void paint_switch(const Ui& ui, ImVec2 min, bool on, bool hovered) {
  const Theme& theme = ui.theme();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float width = ui.px(30);
  const float height = ui.px(18);
  const Color off = mixed(theme.line, theme.quiet, hovered ? 0.5F : 0.3F);
  const Color ground = on ? mixed(theme.accent, theme.text, hovered ? 0.12F : 0.0F) : off;
  list.AddRectFilled(min, ImVec2(min.x + width, min.y + height), paint::ink(ground), height / 2.0F);
  const float radius = height / 2.0F - ui.px(2.5F);
  const float x = on ? min.x + width - height / 2.0F : min.x + height / 2.0F;
  list.AddCircleFilled(ImVec2(x, min.y + height / 2.0F), radius, paint::ink({255, 255, 255}), 32);
}

/// Paints an icon of text height around a point.
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

}  // namespace

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

bool toggle(Ui& ui, const char* label, bool& on, const char* tooltip) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ui.px(22);
  const bool switched = invisible_button(label, ImVec2(width, height));
  if (switched) on = !on;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float middle = corner.y + height / 2.0F;
  const float room = width - ui.px(38);
  const std::string shown = paint::fitted(ui, paint::visible(label), Font::sans, text_size::body, room);
  paint::text(ui, list, corner.x, middle, shown, Font::sans, text_size::body, ui.theme().text);
  paint_switch(ui, ImVec2(corner.x + width - ui.px(30), middle - ui.px(9)), on, ImGui::IsItemHovered());
  paint::focus_ring(ui, list, ui.px(6));
  tooltip_for_item(ui, tooltip);
  return switched;
}

bool segmented(Ui& ui, const char* id, std::span<const std::string> options, int& selected,
               const char* tooltip) {
  const Theme& theme = ui.theme();
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ui.px(28);
  const float inset = ui.px(3);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(corner, ImVec2(corner.x + width, corner.y + height), paint::ink(theme.control),
                     ui.px(6));
  const float segment = (width - 2.0F * inset) / static_cast<float>(std::max<std::size_t>(1, options.size()));
  bool changed = false;
  ImGui::PushID(id);
  ImGui::BeginGroup();
  for (int i = 0; i < static_cast<int>(options.size()); ++i) {
    const std::string& option = options[static_cast<std::size_t>(i)];
    const ImVec2 min(corner.x + inset + segment * static_cast<float>(i), corner.y + inset);
    const ImVec2 max(min.x + segment, corner.y + height - inset);
    ImGui::SetCursorScreenPos(min);
    ImGui::PushID(i);
    if (invisible_button("##segment", ImVec2(max.x - min.x, max.y - min.y)) && selected != i) {
      selected = i;
      changed = true;
    }
    ImGui::PopID();
    const bool chosen = selected == i;
    if (chosen) paint::card(ui, list, min, max, theme.panel, theme.line, ui.px(4));
    const Color color = chosen || ImGui::IsItemHovered() ? theme.text : theme.quiet;
    const std::string shown = paint::fitted(ui, option, Font::sans, text_size::control, segment - ui.px(4));
    paint::text(ui, list, (min.x + max.x) / 2.0F, (min.y + max.y) / 2.0F, shown, Font::sans,
                text_size::control, color, paint::Align::center);
    paint::focus_ring(ui, list, ui.px(4));
    tooltip_for_item(ui, tooltip);
  }
  ImGui::SetCursorScreenPos(ImVec2(corner.x, corner.y + height));
  ImGui::Dummy(ImVec2(width, 0.0F));
  ImGui::EndGroup();
  ImGui::PopID();
  return changed;
}

bool button(Ui& ui, const char* label, const char* tooltip, const char* shortcut, ButtonStyle style,
            float width) {
  const Theme& theme = ui.theme();
  const std::string_view name = paint::visible(label);
  const float padding = ui.px(12);
  const float height = ui.px(28);
  const float name_width = paint::text_width(ui, name, Font::sans, text_size::body);
  const bool has_chip = shortcut != nullptr && *shortcut != '\0';
  const float chip_width = has_chip ? paint::text_width(ui, shortcut, Font::mono, 10.0F) + ui.px(12) : 0.0F;
  const float contents = name_width + (has_chip ? chip_width + ui.px(8) : 0.0F);
  if (width <= 0.0F) width = contents + 2.0F * padding;
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const ImVec2 max(min.x + width, min.y + height);
  const bool clicked = invisible_button(label, ImVec2(width, height));
  const bool hovered = ImGui::IsItemHovered();
  const bool primary = style == ButtonStyle::primary;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Color ground = primary ? theme.accent : theme.control;
  const float shade = ImGui::IsItemActive() ? 0.14F : hovered ? 0.07F : 0.0F;
  const Color border = primary ? theme.accent : theme.line;
  if (style != ButtonStyle::quiet || hovered) {
    paint::card(ui, list, min, max, mixed(ground, theme.text, shade), border, ui.px(6));
  }
  const float middle = (min.y + max.y) / 2.0F;
  const float x = min.x + (width - contents) / 2.0F;
  paint::text(ui, list, x, middle, name, Font::sans, text_size::body,
              primary ? on_accent(theme) : theme.text);
  if (has_chip) {
    const ImVec2 chip(x + name_width + ui.px(8), middle - ui.px(9));
    paint::card(ui, list, chip, ImVec2(chip.x + chip_width, chip.y + ui.px(18)), theme.panel, theme.line,
                ui.px(4));
    paint::text(ui, list, chip.x + chip_width / 2.0F, middle, shortcut, Font::mono, 10.0F, theme.quiet,
                paint::Align::center);
  }
  paint::focus_ring(ui, list, ui.px(6));
  tooltip_for_item(ui, tooltip);
  return clicked;
}

float button_width(const Ui& ui, const char* label) {
  return std::ceil(paint::text_width(ui, paint::visible(label), Font::sans, text_size::body)) + ui.px(24);
}

float link_width(const Ui& ui, const char* label, float size) {
  return paint::text_width(ui, paint::visible(label), Font::sans, size);
}

void continue_line(float gap, float width) {
  ImGui::SameLine(0.0F, gap);
  if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
}

bool link(Ui& ui, const char* label, const char* tooltip, float size, ButtonStyle style) {
  const std::string_view name = paint::visible(label);
  const float width = link_width(ui, label, size);
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const float height = std::ceil(ui.fonts.at(Font::sans, size).line_height);
  const bool clicked = invisible_button(label, ImVec2(width, height));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool is_quiet = style == ButtonStyle::quiet && !ImGui::IsItemHovered();
  const Color color = is_quiet ? ui.theme().quiet : ui.theme().accent;
  paint::text(ui, list, min.x, min.y + height / 2.0F, name, Font::sans, size, color);
  const float y = min.y + height - ui.px(1);
  list.AddRectFilled(ImVec2(min.x, y), ImVec2(min.x + width, y + ui.px(1)),
                     packed(color, ImGui::IsItemHovered() ? 1.0F : 0.35F));
  if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  paint::focus_ring(ui, list, ui.px(3));
  tooltip_for_item(ui, tooltip);
  return clicked;
}

bool link_if(Ui& ui, bool enabled, const char* label, const char* tooltip, float size) {
  if (enabled) return link(ui, label, tooltip, size);
  text(ui, label, Font::sans, size, paint::faint(ui.theme()));
  return false;
}

namespace {

/// The heading above an entry of a list. Draws nothing if the entry has none.
void heading_above(Ui& ui, std::span<const std::string> headings, std::size_t entry) {
  if (entry < headings.size() && !headings[entry].empty())
    text(ui, headings[entry], Font::sans_bold, text_size::small, ui.theme().quiet);
}

/// One option in a list, with its subtitle if it has one. Returns true if it was chosen.
bool list_option(Ui& ui, const std::string& option, std::string_view subtitle, bool is_selected) {
  ui.fonts.request_characters(option);
  const bool is_plain = subtitle.empty() && !ui.fonts.uses_shaping(option);
  if (is_plain) return ImGui::Selectable(option.c_str(), is_selected);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = subtitle.empty() ? ImGui::GetTextLineHeight() : ui.px(38);
  const bool chosen =
      ImGui::Selectable("##option", is_selected, ImGuiSelectableFlags_None, ImVec2(0.0F, height));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const std::string shown = paint::fitted(ui, option, Font::sans, text_size::body, width);
  const std::string below = paint::fitted(ui, subtitle, Font::sans, text_size::small, width);
  paint::text(ui, list, corner.x, corner.y + height * (subtitle.empty() ? 0.5F : 0.28F), shown, Font::sans,
              text_size::body, ui.theme().text);
  paint::text(ui, list, corner.x, corner.y + height * 0.74F, below, Font::sans, text_size::small,
              ui.theme().quiet);
  if (shown != option || below != subtitle)
    tooltip_for_item(ui, (option + (subtitle.empty() ? "" : "\n" + std::string(subtitle))).c_str());
  return chosen;
}

}  // namespace

bool combo(Ui& ui, const char* label, std::span<const std::string> options, int& selected,
           const char* tooltip, std::span<const std::string> subtitles,
           std::span<const std::string> headings) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const std::string_view name = paint::visible(label);
  const float height = ui.px(28);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  // Lists below each other begin at the same place if their labels fit beside them.
  const float beside = width * 0.58F;
  const float name_width = paint::text_width(ui, name, Font::sans, text_size::body);
  const float box = name.empty() ? width : name_width + ui.px(8) <= width - beside ? beside : width * 0.5F;
  const float room = width - box - ui.px(8);
  if (!name.empty() && room > 0.0F)
    paint::text(ui, list, corner.x, corner.y + height / 2.0F,
                paint::fitted(ui, name, Font::sans, text_size::body, room), Font::sans, text_size::body,
                ui.theme().text);
  ImGui::SetCursorScreenPos(ImVec2(corner.x + width - box, corner.y));
  ImGui::SetNextItemWidth(box);
  const int count = static_cast<int>(options.size());
  const std::string preview = selected >= 0 && selected < count
                                  ? paint::fitted(ui, options[static_cast<std::size_t>(selected)], Font::sans,
                                                  text_size::body, box - ui.px(36))
                                  : std::string();
  const bool is_shaped = ui.fonts.uses_shaping(preview);
  ImGui::PushID(label);
  const float padding = (height - ImGui::GetFontSize()) / 2.0F;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(ui.px(10), padding));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(6), ui.px(6)));
  bool changed = false;
  float max_height = ui.px(200);
  if (!subtitles.empty()) {
    // The list is wide enough for its second lines, and stays below its box unless little room is left there.
    constexpr float list_width = 400.0F;
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    const float below = display.y - corner.y - height - ui.px(16);
    const float widest = std::max(box, std::min(ui.px(list_width), display.x - corner.x - ui.px(16)));
    max_height = std::max(below, max_height);
    ImGui::SetNextWindowSizeConstraints({widest, 0.0F}, {widest, max_height});
  }
  const bool open =
      ImGui::BeginCombo("##combo", is_shaped ? "" : preview.c_str(),
                        ImGuiComboFlags_NoArrowButton |
                            (subtitles.empty() ? ImGuiComboFlags_None : ImGuiComboFlags_HeightLargest));
  if (open) {
    record_popup_opener({corner.x + width - box, corner.y}, {corner.x + width, corner.y + height});
    for (int i = 0; i < count; ++i) {
      const std::string& option = options[static_cast<std::size_t>(i)];
      const auto at = static_cast<std::size_t>(i);
      heading_above(ui, headings, at);
      ImGui::PushID(i);
      if (list_option(ui, option, at < subtitles.size() ? subtitles[at] : "", i == selected) &&
          i != selected) {
        selected = i;
        changed = true;
      }
      if (i == selected) {
        ImGui::SetItemDefaultFocus();
        // The list opens at its top if the chosen option is in sight there, or else at that option.
        const bool is_near_top = ImGui::GetCursorPosY() + ImGui::GetScrollY() <= max_height;
        if (ImGui::IsWindowAppearing()) is_near_top ? ImGui::SetScrollY(0.0F) : ImGui::SetScrollHereY();
      }
      ImGui::PopID();
    }
    ImGui::EndCombo();
  }
  ImGui::PopStyleVar(2);
  if (is_shaped)
    paint::text(ui, list, corner.x + width - box + ui.px(10), corner.y + height / 2.0F, preview, Font::sans,
                text_size::body, ui.theme().text);
  paint::text(ui, list, corner.x + width - ui.px(10), corner.y + height / 2.0F, "▾", Font::sans,
              text_size::control, ui.theme().quiet, paint::Align::right);
  if (!open) tooltip_for_item(ui, tooltip);
  ImGui::PopID();
  return changed;
}

namespace {

/// The list that opens below the last item when that was clicked, or above it if there is no room below.
/// Returns the chosen entry. `headings` are those above the entries, as those of a list.
std::optional<int> entries_at_item(Ui& ui, bool clicked, std::span<const std::string> entries,
                                   std::span<const std::string> headings = {}) {
  if (clicked) ImGui::OpenPopup("##entries");
  const ImVec2 min = ImGui::GetItemRectMin();
  const ImVec2 max = ImGui::GetItemRectMax();
  const float gap = ui.px(4.0F);
  const float edge = ui.px(8.0F);
  const float below = ImGui::GetIO().DisplaySize.y - max.y - gap - edge;
  const float above = min.y - gap - edge;
  const auto n_headings =
      std::ranges::count_if(headings, [](const std::string& each) { return !each.empty(); });
  const auto n_lines = static_cast<float>(entries.size() + static_cast<std::size_t>(n_headings));
  const float height = n_lines * ImGui::GetTextLineHeightWithSpacing() + ui.px(16.0F);
  const bool opens_up = height > below && above > below;
  ImGui::SetNextWindowPos({max.x, opens_up ? min.y - gap : max.y + gap}, ImGuiCond_Always,
                          {1.0F, opens_up ? 1.0F : 0.0F});
  // A long list scrolls.
  ImGui::SetNextWindowSizeConstraints({0.0F, 0.0F},
                                      {FLT_MAX, std::max(opens_up ? above : below, ui.px(60.0F))});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(10), ui.px(8)));
  std::optional<int> chosen;
  if (ImGui::BeginPopup("##entries")) {
    record_popup_opener(min, max);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      ImGui::PushID(static_cast<int>(i));
      heading_above(ui, headings, i);
      const std::size_t tab = entries[i].find('\t');
      const bool is_chosen = tab == std::string::npos
                                 ? ImGui::Selectable(entries[i].c_str())
                                 : ImGui::MenuItem(entries[i].substr(0, tab).c_str(), &entries[i][tab + 1]);
      if (is_chosen) chosen = static_cast<int>(i);
      ImGui::PopID();
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
  return chosen;
}

}  // namespace

std::optional<int> menu(Ui& ui, const char* label, std::span<const std::string> entries, const char* tooltip,
                        ButtonStyle style) {
  ImGui::PushID(label);
  const auto chosen = entries_at_item(ui, button(ui, label, tooltip, "", style), entries);
  ImGui::PopID();
  return chosen;
}

std::optional<int> link_menu(Ui& ui, const char* label, std::span<const std::string> entries,
                             const char* tooltip, std::span<const std::string> headings) {
  ImGui::PushID(label);
  const auto chosen = entries_at_item(ui, link(ui, label, tooltip), entries, headings);
  ImGui::PopID();
  return chosen;
}

std::optional<int> icon_menu(Ui& ui, Icon icon, const char* id, std::span<const std::string> entries,
                             const char* tooltip) {
  ImGui::PushID(id);
  const auto chosen = entries_at_item(ui, icon_button(ui, icon, "##icon", tooltip), entries);
  ImGui::PopID();
  return chosen;
}

namespace {

/// A label on the left, and on the right a number that can be edited after a click. Returns the typed text.
std::optional<std::string> typed_field(Ui& ui, const char* label, const std::string& shown,
                                       const char* tooltip) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ui.px(22);
  constexpr float gap = 8.0F;
  const float needed = paint::text_width(ui, paint::visible(label), Font::sans, text_size::body) +
                       ui.px(gap) + paint::text_width(ui, shown, Font::mono, text_size::body);
  // A number that does not fit beside its label stands below it.
  const float below = needed > width ? height : 0.0F;
  paint::text(ui, *ImGui::GetWindowDrawList(), corner.x, corner.y + height / 2.0F, paint::visible(label),
              Font::sans, text_size::body, ui.theme().text);
  ImGui::PushID(label);
  auto typed =
      value_edit(ui, "##value", shown, {{corner.x + width, corner.y + below}, height, true}, false, tooltip);
  ImGui::PopID();
  ImGui::SetCursorScreenPos(ImVec2(corner.x, corner.y));
  ImGui::Dummy(ImVec2(width, height + below));
  return typed;
}

}  // namespace

bool number_field(Ui& ui, const char* label, std::uint64_t& value, std::uint64_t max, const char* tooltip) {
  const auto typed = typed_field(ui, label, std::to_string(value), tooltip);
  if (!typed) return false;
  std::uint64_t number = 0;
  const char* end = typed->data() + typed->size();
  const auto parsed = std::from_chars(typed->data(), end, number);
  if (parsed.ptr != end || (parsed.ec != std::errc() && parsed.ec != std::errc::result_out_of_range))
    return false;
  if (parsed.ec == std::errc::result_out_of_range) number = max;
  number = std::min(number, max);
  return number != std::exchange(value, number);
}

bool decimal_field(Ui& ui, const char* label, float& value, const char* tooltip) {
  const auto typed = typed_field(ui, label, exact_text(value), tooltip);
  const auto number = typed ? parse_exact<float>(*typed) : std::nullopt;
  return number && std::isfinite(*number) && *number != std::exchange(value, *number);
}

}  // namespace headscope
