#pragma once

// What differs between ImGui 1.86 and 1.92. Everything else in app/ uses only what all of them have.

#include <imgui.h>
#include <imgui_freetype.h>
#if IMGUI_VERSION_NUM < 18700
#include <imgui_internal.h>
#endif

#include <cstdint>

namespace headscope {

/// What a version takes for a key: GLFW's code before 1.87, ImGuiKey from then on.
#if IMGUI_VERSION_NUM >= 18700
using NativeKey = ImGuiKey;
#else
using NativeKey = int;
#endif

struct Modifiers {
  bool ctrl = false, shift = false, alt = false, super = false;
};

/// The functions set_up_input() and give_…() hand input to the frame that begins next. From 1.87 ImGui has a
/// queue of its own that spreads input over frames; it is off, so that InputQueue alone decides.
inline void set_up_input([[maybe_unused]] ImGuiIO& io) {
#if IMGUI_VERSION_NUM >= 18700
  io.ConfigInputTrickleEventQueue = false;
#endif
}

inline void give_key(ImGuiIO& io, NativeKey key, bool down) {
#if IMGUI_VERSION_NUM >= 18700
  if (key != ImGuiKey_None) io.AddKeyEvent(key, down);
#else
  if (key >= 0 && key < IM_ARRAYSIZE(io.KeysDown)) io.KeysDown[key] = down;
#endif
}

inline void give_modifiers(ImGuiIO& io, Modifiers held) {
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

/// Replaces what the GLFW backend polls by itself.
inline void give_mouse(ImGuiIO& io, ImVec2 position, const bool (&buttons)[5]) {
#if IMGUI_VERSION_NUM >= 18700
  io.AddMousePosEvent(position.x, position.y);
  for (int button = 0; button < 5; ++button) io.AddMouseButtonEvent(button, buttons[button]);
#else
  io.MousePos = position;
  for (int button = 0; button < 5; ++button) io.MouseDown[button] = buttons[button];
#endif
}

inline void give_wheel(ImGuiIO& io, float dx, float dy) {
#if IMGUI_VERSION_NUM >= 18700
  io.AddMouseWheelEvent(dx, dy);
#else
  io.MouseWheelH += dx;
  io.MouseWheel += dy;
#endif
}

/// Later versions press buttons by Enter too; 1.86 only by Space.
inline void press_by_enter([[maybe_unused]] ImGuiIO& io, [[maybe_unused]] bool enter_is_down) {
#if IMGUI_VERSION_NUM < 18700
  io.NavInputs[ImGuiNavInput_Activate] = enter_is_down && !io.WantTextInput ? 1.0F : 0.0F;
#endif
}

/// From 1.90 on Tab goes to every item by itself, and shows where the keyboard is; before, from one text
/// field to the next.
inline constexpr bool tab_goes_to_every_item = IMGUI_VERSION_NUM >= 19000;

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

/// Makes the atlas draw letters by FreeType: ImGui's own loader does not read OpenType CFF fonts. Up to 1.91
/// the advances are replaced by unhinted ones once the atlas is built; from 1.92 on they are those of the
/// letters as drawn, which hinting would space unevenly.
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

/// The default font, at this size.
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

/// Ends in an item what may end in a place that only the cursor was set to, which ImGui takes for a mistake
/// from 1.89 on. The item has no size, and stands above the spacing that follows the last one.
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

/// What lets the keyboard reach an item without a look; before 1.91.4 it always does.
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
