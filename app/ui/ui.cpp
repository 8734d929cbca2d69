#include "app/ui/ui.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/imgui/keys.h"
#include "app/platform/clipboard.h"
#include "core/text/utf8.h"

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

/// Sets ImGui's style: the theme's colours, an 8-pixel grid, quiet borders and one accent. Lengths are
/// multiplied by `scale`.
void apply_style(const Theme& theme, float scale) {
  ImGuiStyle& style = ImGui::GetStyle();
  style = ImGuiStyle();
  set_lengths(style, std::max(1.0F, std::round(scale)));  // ImGui does not scale borders
  style.ScaleAllSizes(scale);
  set_colors(style, theme);
  fix_tiny_circles(style);
}

}  // namespace

Ui::Ui(Window& window)
    : textures(window.textures()), shaped(fonts, textures), window_(window), theme_(&light_theme()) {}

void Ui::prepare(const Theme& theme, float scale, float enlargement) {
  scale = std::clamp(scale, smallest_ui_scale, largest_ui_scale);
  if (fonts.prepare(scale)) window_.upload_fonts();
  const bool is_scaled = scale != scale_;
  scale_ = scale;
  if (enlargement != enlargement_) ++enlarged_;
  enlargement_ = enlargement;
  if (is_scaled) styled_theme_ = nullptr;
  set_theme(theme);
  shaped.sweep();
  textures.sweep();
}

void Ui::set_theme(const Theme& theme) {
  theme_ = &theme;
  if (styled_theme_ == &theme) return;
  styled_theme_ = &theme;
  apply_style(theme, scale_);
}

std::string Ui::clipboard_text() const {
  const Clipboard* const clipboard = Clipboard::current();
  return clipboard == nullptr ? std::string() : clipboard->text();
}

void Ui::set_clipboard_text(const std::string& text) {
  if (Clipboard* const clipboard = Clipboard::current(); clipboard != nullptr) clipboard->set(text);
}

WidgetCharacters& Ui::characters() const {
  return WidgetCharacters::current();
}

std::string Ui::typed_text() const {
  std::string typed;
  const ImGuiIO& io = ImGui::GetIO();
  for (int i = 0; i < io.InputQueueCharacters.Size && !io.KeyCtrl && !io.KeyAlt; ++i) {
    const char32_t code = characters().shown(char32_t{io.InputQueueCharacters[i]});
    const bool is_printable = code >= 0x20U && code != 0x7FU && (code < 0xD800U || code >= 0xE000U);
    if (is_printable) typed += to_utf8(code);
  }
  return typed;
}

float Ui::px(float units) const {
  return std::round(units * scale_);
}

MeasureText Ui::measure() const {
  return [this](std::string_view text, Font font, float size) { return fonts.measure(text, font, size); };
}

MeasureText Ui::page_measure() const {
  return [this](std::string_view text, Font font, float size) {
    const TextSize drawn = fonts.measure(text, font, size * enlargement_);
    return TextSize{drawn.width / enlargement_, drawn.height / enlargement_};
  };
}

void Ui::wake_in(double seconds) {
  wake_in_ = wake_in_ < 0.0 ? seconds : std::min(wake_in_, seconds);
}

double Ui::take_wake_time() {
  return std::exchange(wake_in_, -1.0);
}

void Ui::update_focus_visibility() {
  const ImGuiIO& io = ImGui::GetIO();
  for (int button = 0; button < 3; ++button) {
    if (!ImGui::IsMouseClicked(button)) continue;
    shows_keyboard_focus_ = false;
    pressed_at_ = io.MousePos;
  }
  if (pressed_at_ && !ImGui::IsAnyMouseDown()) {
    constexpr float elsewhere = 12.0F;
    const float away = std::hypot(io.MousePos.x - pressed_at_->x, io.MousePos.y - pressed_at_->y);
    if (away > px(elsewhere)) pressed_at_.reset();
  }
  for (const Key key : {Key::tab, Key::left, Key::right, Key::up, Key::down}) {
    const bool goes = key == Key::tab || !text_has_focus();
    if (goes && is_key_down(key) && !io.KeyCtrl && !io.KeyAlt) shows_keyboard_focus_ = true;
  }
  const ImVec4 accent = to_vec4(theme_->accent);
  ImGui::GetStyle().Colors[keyboard_focus_color] =
      shows_keyboard_focus_ ? accent : ImVec4(accent.x, accent.y, accent.z, 0.0F);
}

void Ui::focus_next_item() {
  // Without this, ImGui 1.90 would follow the keyboard focus if it is on an item that comes later in the
  // frame.
  ImGui::SetWindowFocus();
  ImGui::SetKeyboardFocusHere();
  window_.hold_keys();
}

bool Ui::shows_focus() const {
  return shows_keyboard_focus_ && ImGui::GetIO().NavVisible && ImGui::IsAnyItemFocused();
}

bool Ui::should_explain_item() {
  if (ImGui::IsItemFocused() && shows_focus()) return true;
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled) || ImGui::IsItemActive()) return false;
  constexpr double rest = 0.5;
  const ImVec2 corner = ImGui::GetItemRectMin();
  const double now = ImGui::GetTime();
  if (corner.x != rested_on_.x || corner.y != rested_on_.y) {
    rested_on_ = corner;
    rested_since_ = now;
  }
  if (ImGui::GetIO().MouseDelta.x != 0.0F || ImGui::GetIO().MouseDelta.y != 0.0F) rested_since_ = now;
  const double left = rested_since_ + rest - now;
  if (left > 0.0) wake_in(left);
  return left <= 0.0;
}

void Ui::reveal(const char* explanation) {
  constexpr int frames_to_appear = 12;
  revealed_ = explanation;
  frames_to_reveal_ = frames_to_appear;
  found_at_.reset();
  wake_in(0.0);
}

std::optional<float> Ui::reveal_strength(const char* explanation) {
  // A tooltip may add in a second line why its control cannot be used.
  const std::string_view full_text(explanation);
  if (revealed_.empty() || full_text.substr(0, full_text.find('\n')) != revealed_) return std::nullopt;
  constexpr double shown_for = 2.0;
  const double now = ImGui::GetTime();
  if (!found_at_) found_at_ = now;
  const double left = *found_at_ + shown_for - now;
  const float top = ImGui::GetWindowPos().y;
  const bool is_in_view =
      ImGui::GetItemRectMin().y >= top && ImGui::GetItemRectMax().y <= top + ImGui::GetWindowHeight();
  if (frames_to_reveal_ > 0 && !is_in_view) ImGui::SetScrollHereY();
  if (left <= 0.0) {
    revealed_.clear();
    return std::nullopt;
  }
  wake_in(0.0);
  return static_cast<float>(left / shown_for);
}

std::string Ui::take_unrevealed() {
  if (frames_to_reveal_ == 0 || --frames_to_reveal_ > 0) {
    if (frames_to_reveal_ > 0) wake_in(0.0);
    return {};
  }
  return found_at_ ? std::string() : std::exchange(revealed_, {});
}

bool invisible_button(const char* id, ImVec2 size) {
  return ImGui::InvisibleButton(id, ImVec2(std::max(size.x, 1.0F), std::max(size.y, 1.0F)),
                                reached_by_keyboard);
}

ImU32 packed(Color color) {
  return IM_COL32(color.r, color.g, color.b, color.a);
}

ImU32 packed(Color color, float opacity) {
  const float alpha = std::clamp(opacity, 0.0F, 1.0F) * static_cast<float>(color.a);
  color.a = static_cast<std::uint8_t>(std::lround(alpha));
  return packed(color);
}

ImVec4 to_vec4(Color color) {
  constexpr float full = 255.0F;
  return {static_cast<float>(color.r) / full, static_cast<float>(color.g) / full,
          static_cast<float>(color.b) / full, static_cast<float>(color.a) / full};
}

}  // namespace headscope
