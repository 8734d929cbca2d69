#pragma once

// What differs between ImGui 1.86 and 1.92. Everything else in app/ uses only what all of them have.

#include <imgui.h>

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

/// From 1.92 fonts have no size of their own; before, the size is the baked one.
inline void push_font(ImFont* font, [[maybe_unused]] float size) {
#if IMGUI_VERSION_NUM >= 19200
  ImGui::PushFont(font, size);
#else
  ImGui::PushFont(font);
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
