#include "app/ui/ui.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "app/imgui/keys.h"
#include "app/platform/clipboard.h"
#include "core/paint/rasterize.h"
#include "core/text/utf8.h"

namespace headscope {

TextureCache::~TextureCache() {
  for (const auto& [image, entry] : textures_) {
    if (entry.texture != no_texture) store_.destroy(entry.texture);
  }
}

ImTextureID TextureCache::of(const std::shared_ptr<const Image>& image) {
  if (image == nullptr) return no_texture;
  const auto found = textures_.find(image.get());
  if (found != textures_.end()) {
    if (!found->second.image.expired()) return found->second.texture;
    // A new image at the address of a released one.
    if (found->second.texture != no_texture) store_.destroy(found->second.texture);
    textures_.erase(found);
  }
  const ImTextureID texture = store_.create(*image);
  textures_.emplace(image.get(), CachedTexture{image, texture});
  return texture;
}

void TextureCache::sweep() {
  std::erase_if(textures_, [&](const auto& item) {
    const CachedTexture& entry = item.second;
    if (!entry.image.expired()) return false;
    if (entry.texture != no_texture) store_.destroy(entry.texture);
    return true;
  });
}

namespace {

ImVec2 turned(ImVec2 point, float degrees) {
  const float angle = degrees * std::numbers::pi_v<float> / 180.0F;
  const float c = std::cos(angle);
  const float s = std::sin(angle);
  return {c * point.x + s * point.y, c * point.y - s * point.x};
}

}  // namespace

/// Glyphs may extend beyond their line by at most half its size.
ShapedLines::PixelBox ShapedLines::pixel_box_of(const LineSize& line, const Label& label) {
  constexpr float widest = 4096.0F;
  const float around = 0.5F * label.size;
  const auto width = std::min(static_cast<float>(line.width), widest);
  const auto top = std::max(-static_cast<float>(line.ascent) - around, -widest);
  const auto bottom = std::min(static_cast<float>(line.descent) + around, widest);
  PixelBox frame{0.0F, 0.0F, 0.0F, 0.0F};
  for (const ImVec2 corner : {ImVec2(-around, top), ImVec2(width + around, top), ImVec2(-around, bottom),
                              ImVec2(width + around, bottom)}) {
    const ImVec2 at = turned(corner, label.degrees);
    frame = {std::min(frame.left, std::floor(at.x)), std::min(frame.top, std::floor(at.y)),
             std::max(frame.right, std::ceil(at.x)), std::max(frame.bottom, std::ceil(at.y))};
  }
  return frame;
}

ShapedLines::Picture ShapedLines::make_picture(const Label& label, const LineSize& line,
                                               const PixelBox& frame) const {
  Figure figure{frame.right - frame.left, frame.bottom - frame.top, {0, 0, 0, 0}, {}};
  Label alone = label;
  const ImVec2 top = turned({0.0F, -static_cast<float>(line.ascent)}, label.degrees);
  alone.at = {top.x - frame.left, top.y - frame.top};
  alone.horizontal = HorizontalAnchor::left;
  alone.vertical = VerticalAnchor::top;
  alone.color.a = Color{}.a;
  figure.items.emplace_back(std::move(alone));
  Result<Image> image = rasterized(figure, 1.0F, *fonts_.faces());
  if (!image) return {};
  n_pixels_ += image->pixels.size();
  return {std::make_shared<const Image>(std::move(*image))};
}

void ShapedLines::draw(ImDrawList& list, const Label& label) const {
  const LineSize line = fonts_.faces()->line_size(label.text, label.font, label.size);
  const ImVec2 begin = turned(
      {static_cast<float>(line.left(label.horizontal)), static_cast<float>(line.baseline(label.vertical))},
      label.degrees);
  const ImVec2 at(std::round(label.at.x + begin.x), std::round(label.at.y + begin.y));
  const PixelBox frame = pixel_box_of(line, label);
  const ImVec2 min(at.x + frame.left, at.y + frame.top);
  const ImVec2 max(at.x + frame.right, at.y + frame.bottom);
  const ImVec2 first = list.GetClipRectMin();
  const ImVec2 last = list.GetClipRectMax();
  if (max.x <= first.x || max.y <= first.y || min.x >= last.x || min.y >= last.y) return;
  const Color& color = label.color;
  Key key{label.text, label.font, label.size, IM_COL32(color.r, color.g, color.b, 0), label.degrees};
  auto known = pictures_.find(key);
  if (known == pictures_.end())
    known = pictures_.emplace(std::move(key), make_picture(label, line, frame)).first;
  known->second.is_used = true;
  const ImTextureID texture = textures_.of(known->second.image);
  if (texture != no_texture)
    list.AddImage(texture, min, max, {0.0F, 0.0F}, {1.0F, 1.0F}, IM_COL32(255, 255, 255, color.a));
}

void ShapedLines::sweep() {
  constexpr std::size_t many_pixels = 4'000'000;
  if (n_pixels_ > many_pixels) {
    std::erase_if(pictures_, [](const auto& entry) { return !entry.second.is_used; });
    n_pixels_ = 0;
    for (const auto& [key, picture] : pictures_)
      n_pixels_ += picture.image ? picture.image->pixels.size() : 0;
  }
  for (auto& [key, picture] : pictures_) picture.is_used = false;
}

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
  if (pressed_at_ && ImGui::IsAnyMouseDown()) pressed_at_ = io.MousePos;  // A drag ends elsewhere.
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

bool Ui::should_explain_item() {
  if (ImGui::IsItemFocused() && shows_keyboard_focus_ && ImGui::GetIO().NavVisible) return true;
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
