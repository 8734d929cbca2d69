#pragma once

// Hides the differences between ImGui 1.86 and 1.92. Everything else in app/ uses only what these versions
// have in common.

#include <imgui.h>
#include <imgui_freetype.h>
#if IMGUI_VERSION_NUM < 18700
#include <imgui_internal.h>
#endif

#include <cstdint>

namespace headscope {

/// The type that a version uses for a key: GLFW's key code before 1.87, and ImGuiKey since.
#if IMGUI_VERSION_NUM >= 18700
using NativeKey = ImGuiKey;
#else
using NativeKey = int;
#endif

struct Modifiers {
  bool ctrl = false, shift = false, alt = false, super = false;
};

/// The functions below pass input to the next frame. Since 1.87, ImGui has an input queue that spreads input
/// over several frames. It is switched off, so that InputQueue alone decides.
inline void set_up_input([[maybe_unused]] ImGuiIO& io) {
#if IMGUI_VERSION_NUM >= 18700
  io.ConfigInputTrickleEventQueue = false;
#endif
}

inline void feed_key(ImGuiIO& io, NativeKey key, bool down) {
#if IMGUI_VERSION_NUM >= 18700
  if (key != ImGuiKey_None) io.AddKeyEvent(key, down);
#else
  if (key >= 0 && key < IM_ARRAYSIZE(io.KeysDown)) io.KeysDown[key] = down;
#endif
}

inline void feed_modifiers(ImGuiIO& io, Modifiers held) {
#if IMGUI_VERSION_NUM >= 18900
  io.AddKeyEvent(ImGuiMod_Ctrl, held.ctrl);
  io.AddKeyEvent(ImGuiMod_Shift, held.shift);
  io.AddKeyEvent(ImGuiMod_Alt, held.alt);
  io.AddKeyEvent(ImGuiMod_Super, held.super);
#elif IMGUI_VERSION_NUM >= 18700
  io.AddKeyEvent(ImGuiKey_ModCtrl, held.ctrl);
  io.AddKeyEvent(ImGuiKey_ModShift, held.shift);
  io.AddKeyEvent(ImGuiKey_ModAlt, held.alt);
  io.AddKeyEvent(ImGuiKey_ModSuper, held.super);
#else
  io.KeyCtrl = held.ctrl;
  io.KeyShift = held.shift;
  io.KeyAlt = held.alt;
  io.KeySuper = held.super;
#endif
}

/// How long after a click another one makes it a double click. ImGui's own 0.3 s is shorter than what
/// desktops allow.
inline constexpr double double_click_seconds = 0.5;

/// Replaces the mouse state that the GLFW backend polls.
inline void feed_mouse(ImGuiIO& io, ImVec2 position, const bool (&buttons)[5]) {
#if IMGUI_VERSION_NUM >= 18700
  io.AddMousePosEvent(position.x, position.y);
  for (int button = 0; button < 5; ++button) io.AddMouseButtonEvent(button, buttons[button]);
#else
  io.MousePos = position;
  for (int button = 0; button < 5; ++button) io.MouseDown[button] = buttons[button];
#endif
}

inline void feed_wheel(ImGuiIO& io, float dx, float dy) {
#if IMGUI_VERSION_NUM >= 18700
  io.AddMouseWheelEvent(dx, dy);
#else
  io.MouseWheelH += dx;
  io.MouseWheel += dy;
#endif
}

/// Lets Enter press buttons, as in later versions. In 1.86, only Space does.
inline void press_by_enter([[maybe_unused]] ImGuiIO& io, [[maybe_unused]] bool enter_is_down) {
#if IMGUI_VERSION_NUM < 18700
  io.NavInputs[ImGuiNavInput_Activate] = enter_is_down && !io.WantTextInput ? 1.0F : 0.0F;
#endif
}

/// Since 1.90, Tab moves through all items and shows the keyboard focus. Before, it only moves between text
/// fields.
inline constexpr bool tab_goes_to_every_item = IMGUI_VERSION_NUM >= 19000;

/// The value that means "no texture", whatever type ImTextureID has.
inline const ImTextureID no_texture{};

/// Converts OpenGL's name of a texture, an unsigned number. ImTextureID was a pointer before 1.91.4.
inline ImTextureID texture_from_name(unsigned name) {
#if IMGUI_VERSION_NUM >= 19140
  return static_cast<ImTextureID>(name);
#else
  return reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(name));  // NOLINT: ImGui requires it
#endif
}

inline unsigned name_of_texture(ImTextureID texture) {
#if IMGUI_VERSION_NUM >= 19140
  return static_cast<unsigned>(texture);
#else
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(texture));
#endif
}

/// Makes the atlas draw letters with FreeType, because ImGui's own loader does not read OpenType CFF fonts.
/// Up to 1.91, the advances are replaced by unhinted ones after the atlas is built. Since 1.92, the advances
/// are those of the drawn letters, which hinting would space unevenly.
inline void use_freetype(ImFontAtlas& atlas) {
#if IMGUI_VERSION_NUM >= 19210
  atlas.SetFontLoader(ImGuiFreeType::GetFontLoader());
  atlas.FontLoaderFlags = ImGuiFreeTypeLoaderFlags_NoHinting;
#elif IMGUI_VERSION_NUM >= 19200
  atlas.FontLoader = ImGuiFreeType::GetFontLoader();
  atlas.FontLoaderFlags = ImGuiFreeTypeLoaderFlags_NoHinting;
#else
  atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
  atlas.FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
#endif
}

/// The font file that was added last.
inline ImFontConfig& last_font_file(ImFontAtlas& atlas) {
#if IMGUI_VERSION_NUM >= 19190
  return atlas.Sources.back();
#else
  return atlas.ConfigData.back();
#endif
}

/// Makes a font current at a given size until the object goes out of scope. Since 1.92, fonts have no fixed
/// size; before, they are scaled from the size at which they were baked.
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
    // This must happen before ImGui looks at the outer font again, which may be the same font at another
    // size.
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

/// Sets the default font and its size.
inline void set_default_font(ImFont* font, [[maybe_unused]] float size) {
  ImGui::GetIO().FontDefault = font;
#if IMGUI_VERSION_NUM < 19200
  font->Scale = size / font->FontSize;
#endif
}

/// Before 1.87, ImGui divides by zero if a corner is rounded by less than a millionth of a pixel, as in a
/// rectangle 2.0000002 pixels wide. Call this after setting the style.
inline void fix_tiny_circles([[maybe_unused]] const ImGuiStyle& style) {
#if IMGUI_VERSION_NUM < 18700
  ImDrawListSharedData& shared = *ImGui::GetDrawListSharedData();
  shared.SetCircleTessellationMaxError(style.CircleTessellationMaxError);
  shared.CircleSegmentCounts[0] = shared.CircleSegmentCounts[1];
#endif
}

/// Begins a child window with optional border and padding that belongs to its parent for keyboard navigation.
/// `border` was a bool before 1.90; the navigation flag moved in 1.90.9.
inline bool begin_child(const char* id, ImVec2 size, ImGuiWindowFlags flags = ImGuiWindowFlags_None,
                        bool border = false) {
#if IMGUI_VERSION_NUM >= 19090
  constexpr ImGuiChildFlags child_border = 1;  // _Border, called _Borders since 1.91.1
  const ImGuiChildFlags frame = border ? child_border : ImGuiChildFlags_None;
  return ImGui::BeginChild(id, size, frame | ImGuiChildFlags_NavFlattened, flags);
#else
  return ImGui::BeginChild(id, size, border, flags | ImGuiWindowFlags_NavFlattened);
#endif
}

/// Ends a window with an empty item. Since 1.89, ImGui reports an error if a window ends at a position that
/// was only set with the cursor. The item has no size and stands above the spacing that follows the last
/// item.
inline void end_in_item() {
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y);
  ImGui::Dummy({0.0F, 0.0F});
}
inline void end_child() {
  end_in_item();
  ImGui::EndChild();
}
inline void end_window() {
  end_in_item();
  ImGui::End();
}

/// Lets the keyboard reach an invisible button. Before 1.91.4 it always can.
#if IMGUI_VERSION_NUM >= 19140
inline constexpr ImGuiButtonFlags reached_by_keyboard = ImGuiButtonFlags_EnableNav;
#else
inline constexpr ImGuiButtonFlags reached_by_keyboard = ImGuiButtonFlags_None;
#endif

#if IMGUI_VERSION_NUM >= 19140
inline constexpr ImGuiCol keyboard_focus_color = ImGuiCol_NavCursor;
#else
inline constexpr ImGuiCol keyboard_focus_color = ImGuiCol_NavHighlight;
#endif

}  // namespace headscope
