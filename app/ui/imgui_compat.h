#pragma once

// What differs between ImGui 1.86 and 1.92. Everything else in app/ uses only what all of them have.

#include <imgui.h>
#if IMGUI_VERSION_NUM < 18700
#include <imgui_internal.h>
#endif

#include <cstdint>

namespace headscope {

#if IMGUI_VERSION_NUM >= 18700
inline constexpr bool imgui_queues_input = true;
#else
inline constexpr bool imgui_queues_input = false;
#endif

/// Means "no texture" in every version, whatever type ImTextureID is.
inline const ImTextureID no_texture{};

/// OpenGL names a texture by an unsigned number; ImTextureID was a pointer before 1.91.4.
inline ImTextureID texture_from_name(unsigned name) {
#if IMGUI_VERSION_NUM >= 19140
  return static_cast<ImTextureID>(name);
#else
  return reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(name));  // NOLINT: how ImGui wants it
#endif
}

inline unsigned name_of_texture(ImTextureID texture) {
#if IMGUI_VERSION_NUM >= 19140
  return static_cast<unsigned>(texture);
#else
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(texture));
#endif
}

/// Makes a font current at a size until it goes out of scope. From 1.92 fonts have no size of their own;
/// before, they are scaled from the baked one.
class PushedFont {
 public:
#if IMGUI_VERSION_NUM >= 19200
  PushedFont(ImFont* font, float size) {
    ImGui::PushFont(font, size);
  }
  ~PushedFont() {
    ImGui::PopFont();
  }
#else
  PushedFont(ImFont* font, float size) : font_(font), outer_scale_(font->Scale) {
    font->Scale = size / font->FontSize;
    ImGui::PushFont(font);
  }
  ~PushedFont() {
    // Before ImGui looks again at the font below, which may be the same one at another size.
    font_->Scale = outer_scale_;
    ImGui::PopFont();
  }
#endif
  PushedFont(const PushedFont&) = delete;
  PushedFont& operator=(const PushedFont&) = delete;

#if IMGUI_VERSION_NUM < 19200
 private:
  ImFont* font_;
  float outer_scale_;
#endif
};

/// The font of what nobody pushed a font for, at this size.
inline void set_default_font(ImFont* font, [[maybe_unused]] float size) {
  ImGui::GetIO().FontDefault = font;
#if IMGUI_VERSION_NUM < 19200
  font->Scale = size / font->FontSize;
#endif
}

/// ImGui before 1.87 divides by zero where a corner is rounded by less than a millionth of a pixel, as that
/// of a rectangle 2.0000002 pixels wide is. To be called whenever the style was set.
inline void mend_smallest_circles([[maybe_unused]] const ImGuiStyle& style) {
#if IMGUI_VERSION_NUM < 18700
  ImDrawListSharedData& shared = *ImGui::GetDrawListSharedData();
  shared.SetCircleTessellationMaxError(style.CircleTessellationMaxError);
  shared.CircleSegmentCounts[0] = shared.CircleSegmentCounts[1];
#endif
}

/// A child window with a border and padding, part of its parent for keyboard navigation. `border` was a bool
/// before 1.90; the navigation flag moved in 1.90.9.
inline bool begin_child(const char* id, ImVec2 size, bool border, ImGuiWindowFlags flags) {
#if IMGUI_VERSION_NUM >= 19090
  constexpr ImGuiChildFlags child_border = 1;  // _Border, from 1.91.1 _Borders
  const ImGuiChildFlags frame = border ? child_border : ImGuiChildFlags_None;
  return ImGui::BeginChild(id, size, frame | ImGuiChildFlags_NavFlattened, flags);
#else
  return ImGui::BeginChild(id, size, border, flags | ImGuiWindowFlags_NavFlattened);
#endif
}

#if IMGUI_VERSION_NUM >= 19140
inline constexpr ImGuiCol keyboard_focus_color = ImGuiCol_NavCursor;
#else
inline constexpr ImGuiCol keyboard_focus_color = ImGuiCol_NavHighlight;
#endif

}  // namespace headscope
