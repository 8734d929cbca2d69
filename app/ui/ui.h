#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "app/platform/widget_characters.h"
#include "app/platform/window.h"
#include "app/ui/fonts.h"
#include "app/ui/textures.h"
#include "core/figure/colormap.h"
#include "core/figure/theme.h"

namespace headscope {

/// Limits of the interface scale.
inline constexpr float smallest_ui_scale = 0.5F;
inline constexpr float largest_ui_scale = 4.0F;

/// What every widget and view needs to draw itself. Made once, after the window.
///
///   ui.prepare(theme, scale);   // between frames
///   window.begin_frame(); ... widgets ... ; window.end_frame();
class Ui {
 public:
  explicit Ui(Window& window);

  /// Bakes fonts, sets the style, drops unused textures. Once before every Window::begin_frame().
  void prepare(const Theme& theme, float scale);
  /// Within a frame, before anything is drawn in it: what a key changed the theme to, so that no picture is
  /// kept that has the colours of both.
  void set_theme(const Theme& theme);

  const Theme& theme() const { return *theme_; }
  float scale() const { return scale_; }
  /// Design units (pixels at scale 1) to whole ImGui pixels.
  float px(float units) const;
  /// In figure units, with the window's fonts.
  MeasureText measure() const;

  /// Something will change in `seconds` although nobody touches anything. The earliest wins.
  void wake_in(double seconds);
  /// What was asked of wake_in() since the last call; negative when nothing. For FramePacer::due_in().
  double take_wake();
  /// Whether the mouse was pressed and has not gone elsewhere since: what explains the place has been read.
  bool is_hushed() const { return hushed_at_.has_value(); }
  /// Whether the mouse has rested on the last item, or the keyboard stands on it, for long enough to explain
  /// it.
  bool item_explained();

  /// The control with this explanation scrolls into view and is ringed for a moment, in the next frames.
  void seek(const char* explanation);
  /// To be asked with the explanation of each item: whether it is the one that is sought. How strong its ring
  /// is, 0 to 1; nothing where it is another.
  std::optional<float> sought(const char* explanation);
  /// Whether the control with this explanation is looked for in this frame, so that what holds it opens.
  bool seeks(std::string_view explanation) const { return frames_to_seek_ > 0 && sought_ == explanation; }
  /// The explanation that no control had, once; empty otherwise.
  std::string take_unfound();

  /// Once a frame, after Window::begin_frame(): whether the keyboard goes from item to item, and its place is
  /// to be seen. A click, or a key that is a command, does not.
  void follow_keyboard();
  /// The next item, a text field, takes the keyboard; keys that are pressed meanwhile reach it.
  void give_keyboard_to_next_item();
  /// The clipboard with its lines and tabs; ImGui's own fields get one line.
  std::string clipboard_text() const;
  void set_clipboard_text(const std::string& text);
  /// What ImGui's own fields hold in place of a text, and its input in place of what was typed.
  WidgetCharacters& characters() const;
  /// For a picture of the window: what only passes by, such as a tooltip, is not drawn.
  void hold_still(bool still) { is_still_ = still; }
  bool is_still() const { return is_still_; }

  Fonts fonts;
  TextureCache textures;
  /// Text of the fields being edited, by ImGui id: tells an edit from a change that came from outside.
  std::unordered_map<ImGuiID, std::string> field_texts;

 private:
  Window& window_;
  const Theme* theme_;
  float scale_ = 1.0F;
  const Theme* styled_theme_ = nullptr;
  double wake_in_ = -1.0;
  bool is_still_ = false;
  bool keyboard_leads_ = false;
  std::optional<ImVec2> hushed_at_;  ///< where the mouse was pressed
  ImVec2 rested_on_;                 ///< corner of the item under the mouse
  double rested_since_ = 0.0;
  std::string sought_;
  int frames_to_seek_ = 0;
  std::optional<double> found_at_;  ///< in ImGui's seconds
};

/// Makes a typeface current for ImGui's own widgets and text, until the end of the scope.
class FontScope {
 public:
  FontScope(const Ui& ui, Font font, float size) : FontScope(ui.fonts.at(font, size)) {}

 private:
  explicit FontScope(const SizedFont& sized) : pushed_(sized.font, sized.line_height) {}

  PushedFont pushed_;
};

/// An item without a look, at least a pixel large: ImGui aborts over a side of 0, and takes a negative one
/// for what is left of the room. A narrow window leaves either. True when clicked.
bool invisible_button(const char* id, ImVec2 size);

ImU32 packed(Color color);
ImU32 packed(Color color, float opacity);
ImVec4 to_vec4(Color color);

}  // namespace headscope
