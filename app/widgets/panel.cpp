#include "app/widgets/panel.h"

#include <algorithm>
#include <cmath>

#include "app/widgets/paint.h"
#include "app/widgets/text.h"

namespace headscope {
namespace {

constexpr float header_height = 28.0F;
constexpr float name_left = 16.0F;

void paint_triangle(const Ui& ui, ImDrawList& list, ImVec2 middle, bool is_open) {
  const float r = ui.px(4);
  const ImU32 color = paint::ink(ui.theme().quiet);
  if (is_open) {
    list.AddTriangleFilled({middle.x - r, middle.y - 0.5F * r}, {middle.x + r, middle.y - 0.5F * r},
                           {middle.x, middle.y + 0.75F * r}, color);
  } else {
    list.AddTriangleFilled({middle.x - 0.5F * r, middle.y - r}, {middle.x + 0.75F * r, middle.y},
                           {middle.x - 0.5F * r, middle.y + r}, color);
  }
}

}  // namespace

void fade_out(const Ui& ui) {
  const float above = ImGui::GetScrollY();
  const float below = ImGui::GetScrollMaxY() - above;
  const float height = ui.px(28.0F);
  constexpr float border = 1.0F;
  const ImVec2 corner = ImGui::GetWindowPos();
  const float left = corner.x + border;
  const float top = corner.y + border;
  const float bottom = corner.y + ImGui::GetWindowHeight() - border;
  const float right = corner.x + ImGui::GetWindowWidth() - ImGui::GetStyle().ScrollbarSize;
  Color none = ui.theme().panel;
  none.a = 0;
  const ImU32 clear = paint::ink(none);
  const ImU32 panel = paint::ink(ui.theme().panel);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (above >= 1.0F)
    list.AddRectFilledMultiColor({left, top}, {right, top + std::min(height, above)}, panel, panel, clear,
                                 clear);
  if (below >= 1.0F)
    list.AddRectFilledMultiColor({left, bottom - std::min(height, below)}, {right, bottom}, clear, clear,
                                 panel, panel);
}

bool is_short_window(const Ui& ui) {
  constexpr float short_window = 480.0F;
  return ImGui::GetIO().DisplaySize.y < ui.px(short_window);
}

float panel_padding(const Ui& ui) {
  return is_short_window(ui) ? 6.0F : 14.0F;
}

Panel::Panel(Ui& ui, const char* id, ImVec2 size, PanelScroll scroll) : ui_(ui) {
  ImGui::PushStyleColor(ImGuiCol_ChildBg, to_vec4(ui.theme().panel));
  const float padding = ui.px(16);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(padding, ui.px(panel_padding(ui))));
  // The scroll bar stands in the padding, so that nothing moves when it appears.
  if (scroll == PanelScroll::vertical) ImGui::SetNextWindowContentSize({size.x - 2.0F * padding, 0.0F});
  const ImGuiWindowFlags still = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
  begin_child(id, size, scroll == PanelScroll::none ? still : ImGuiWindowFlags_None, true);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

Panel::~Panel() {
  fade_out(ui_);
  end_child();
}

InlineChild::InlineChild(const char* id, ImVec2 size) {
  begin_child(id, size, ImGuiWindowFlags_NoScrollbar);
}

InlineChild::~InlineChild() {
  end_child();
}

WindowBackground::WindowBackground(Ui& ui) {
  ImGui::SetNextWindowPos(ImVec2(0.0F, 0.0F));
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, to_vec4(ui.theme().ground));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0.0F, 0.0F));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  ImGui::Begin("##ground", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar(3);
  ImGui::PopStyleColor();
}

WindowBackground::~WindowBackground() {
  end_window();
}

bool group_header(Ui& ui, const char* name, const std::string& words, bool is_open, bool is_changed) {
  const Theme& theme = ui.theme();
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ui.px(header_height);
  const bool clicked = invisible_button(name, {width, height});
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float beyond = ui.px(8);
  if (hovered)
    list.AddRectFilled({corner.x - beyond, corner.y}, {corner.x + width + beyond, corner.y + height},
                       paint::ink(theme.control), ui.px(6));
  paint::focus_ring(ui, list, ui.px(4));
  const float middle = std::round(corner.y + height / 2.0F);
  paint_triangle(ui, list, {corner.x + ui.px(4), middle}, is_open);
  const float left = corner.x + ui.px(name_left);
  const float name_room = std::max(0.0F, width - ui.px(name_left));
  const float name_width =
      paint::text(ui, list, left, middle, paint::fitted(ui, name, Font::sans, text_size::body, name_room),
                  Font::sans, text_size::body, theme.text);
  const float room = name_room - name_width - ui.px(16);
  const std::string shown = paint::fitted(ui, words, Font::sans, text_size::small, std::max(0.0F, room));
  // A little higher, so that the smaller words stand on the baseline of the name.
  if (room >= ui.px(24))
    paint::text(ui, list, corner.x + width, middle - ui.px(1), shown, Font::sans, text_size::small,
                is_changed ? theme.accent : theme.quiet, paint::Align::right);
  const std::string whole = std::string(paint::visible(name)) + ": " + words;
  tooltip_for_item(ui, whole.c_str());
  return clicked;
}

bool text_button(Ui& ui, const char* label, const char* tooltip, bool enabled) {
  const Theme& theme = ui.theme();
  const std::string_view name = paint::visible(label);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  const std::string shown = paint::fitted(ui, name, Font::sans, text_size::control, room);
  const float width = paint::text_width(ui, shown, Font::sans, text_size::control);
  const float height = ui.px(20);
  const bool clicked = invisible_button(label, {width, height});
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Color color = !enabled ? paint::faint(theme) : hovered ? theme.accent : theme.text;
  paint::text(ui, list, corner.x, corner.y + height / 2.0F, shown, Font::sans, text_size::control, color);
  if (enabled && hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  paint::focus_ring(ui, list, ui.px(3));
  tooltip_for_item(ui, tooltip);
  return clicked && enabled;
}

}  // namespace headscope
