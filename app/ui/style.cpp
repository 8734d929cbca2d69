#include "app/ui/style.h"

#include <algorithm>
#include <cmath>

#include "app/ui/ui.h"

namespace headscope {
namespace {

void set_lengths(ImGuiStyle& style, float border) {
  style.WindowPadding = {16.0F, 16.0F};
  style.FramePadding = {10.0F, 6.0F};
  style.ItemSpacing = {8.0F, 8.0F};
  style.ItemInnerSpacing = {8.0F, 4.0F};
  style.IndentSpacing = 16.0F;
  style.ScrollbarSize = 8.0F;
  style.GrabMinSize = 14.0F;
  style.WindowRounding = 8.0F;
  style.ChildRounding = 8.0F;
  style.FrameRounding = 6.0F;
  style.PopupRounding = 6.0F;
  style.ScrollbarRounding = 4.0F;
  style.GrabRounding = 7.0F;
  style.WindowBorderSize = border;
  style.ChildBorderSize = border;
  style.PopupBorderSize = border;
  style.FrameBorderSize = border;
}

void set_colors(ImGuiStyle& style, const Theme& theme) {
  const ImVec4 clear(0.0F, 0.0F, 0.0F, 0.0F);
  const auto set = [&](ImGuiCol which, Color color) { style.Colors[which] = to_vec4(color); };
  const Color hovered = mixed(theme.control, theme.text, 0.06F);
  const Color pressed = mixed(theme.control, theme.text, 0.12F);
  set(ImGuiCol_Text, theme.text);
  set(ImGuiCol_TextDisabled, theme.quiet);
  set(ImGuiCol_WindowBg, theme.ground);
  set(ImGuiCol_ChildBg, theme.panel);
  set(ImGuiCol_PopupBg, theme.panel);
  set(ImGuiCol_Border, theme.line);
  style.Colors[ImGuiCol_BorderShadow] = clear;
  set(ImGuiCol_FrameBg, theme.control);
  set(ImGuiCol_FrameBgHovered, hovered);
  set(ImGuiCol_FrameBgActive, theme.control);
  style.Colors[ImGuiCol_ScrollbarBg] = clear;
  set(ImGuiCol_ScrollbarGrab, mixed(theme.line, theme.quiet, 0.4F));
  set(ImGuiCol_ScrollbarGrabHovered, mixed(theme.line, theme.quiet, 0.7F));
  set(ImGuiCol_ScrollbarGrabActive, theme.quiet);
  set(ImGuiCol_CheckMark, theme.accent);
  set(ImGuiCol_SliderGrab, theme.accent);
  set(ImGuiCol_SliderGrabActive, theme.accent);
  set(ImGuiCol_Button, theme.control);
  set(ImGuiCol_ButtonHovered, hovered);
  set(ImGuiCol_ButtonActive, pressed);
  set(ImGuiCol_Header, theme.control);
  set(ImGuiCol_HeaderHovered, hovered);
  set(ImGuiCol_HeaderActive, pressed);
  set(ImGuiCol_Separator, theme.line);
  style.Colors[ImGuiCol_TextSelectedBg] = to_vec4(theme.accent);
  style.Colors[ImGuiCol_TextSelectedBg].w = 0.3F;
  set(keyboard_focus_color, theme.accent);
  style.Colors[ImGuiCol_ModalWindowDimBg] = ImVec4(0.0F, 0.0F, 0.0F, 0.35F);
  style.Colors[ImGuiCol_NavWindowingDimBg] = clear;
  set(ImGuiCol_TableBorderLight, theme.line);
  set(ImGuiCol_TableBorderStrong, theme.line);
}

}  // namespace

void apply_style(const Theme& theme, float scale) {
  ImGuiStyle& style = ImGui::GetStyle();
  style = ImGuiStyle();
  set_lengths(style, std::max(1.0F, std::round(scale)));  // ImGui does not scale borders
  style.ScaleAllSizes(scale);
  set_colors(style, theme);
  mend_smallest_circles(style);
}

}  // namespace headscope
