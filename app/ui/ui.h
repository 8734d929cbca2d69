#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "app/platform/widget_characters.h"
#include "app/platform/window.h"
#include "app/ui/fonts.h"
#include "app/ui/shaped_lines.h"
#include "app/ui/textures.h"
#include "core/figure/colormap.h"
#include "core/figure/theme.h"

namespace headscope {

/// The limits of the interface scale.
inline constexpr float smallest_ui_scale = 0.5F;
inline constexpr float largest_ui_scale = 4.0F;

/// What every widget and view needs to draw itself. Create it once, after the window.
///
///     ui.prepare(theme, scale, enlargement);   // between frames
///     window.begin_frame(); ... widgets ... ; window.end_frame();
class Ui {
 public:
  explicit Ui(Window& window);

  /// Bakes fonts, sets the style and drops unused textures. Call it once before every Window::begin_frame().
  /// `enlargement` is the factor by which pages are drawn larger than controls.
  void prepare(const Theme& theme, float scale, float enlargement = 1.0F);
  /// Applies a theme that a key has just selected. Call it within a frame before anything is drawn, so that
  /// no picture is kept with the colours of both themes.
  void set_theme(const Theme& theme);

  const Theme& theme() const { return *theme_; }
  float scale() const { return scale_; }
  /// ImGui pixels per unit of a page: the scale, enlarged where there is room.
  float page_scale() const { return scale_ * enlargement_; }
  float enlargement() const { return enlargement_; }
  /// Changes whenever page_measure() does.
  std::size_t page_fonts() const { return fonts.generation() + enlarged_; }
  /// Converts design units (pixels at scale 1) to whole ImGui pixels.
  float px(float units) const;
  /// Measures text in figure units with the window's fonts.
  MeasureText measure() const;
  /// Measures text in units of a page, at the size at which it is drawn there.
  MeasureText page_measure() const;

  /// Requests a frame in `seconds`, because something will change without any input. The earliest request
  /// counts.
  void wake_in(double seconds);
  /// The earliest time requested with wake_in() since the last call, for FramePacer::due_in(). Negative if
  /// there was none.
  double take_wake();
  /// Whether tooltips are silent: the mouse was pressed and has not moved elsewhere since, so the user has
  /// already read them.
  bool is_hushed() const { return hushed_at_.has_value(); }
  /// Whether to explain the last item, because the mouse has rested on it long enough or the keyboard focus
  /// is on it.
  bool item_explained();

  /// Scrolls the control with this explanation into view in the next frames, and draws a ring around it for a
  /// moment.
  void seek(const char* explanation);
  /// Every item calls this with its explanation to find out whether it is sought. Returns the strength of the
  /// ring around it, from 0 to 1, or nothing if it is not sought.
  std::optional<float> sought(const char* explanation);
  /// Whether the control with this explanation is sought in this frame, so that its container opens.
  bool seeks(std::string_view explanation) const { return frames_to_seek_ > 0 && sought_ == explanation; }
  /// The sought explanation, reported once, if no control had it. Otherwise empty.
  std::string take_unfound();

  /// Call this once per frame, after Window::begin_frame(). It shows the keyboard focus while the user moves
  /// it from item to item, and hides it after a click. Keys that are commands do not show it.
  void follow_keyboard();
  /// Gives the keyboard focus to the next item, a text field. Keys that are pressed in the meantime reach it.
  void give_keyboard_to_next_item();
  /// Holds back what is typed until the field that is about to take the keyboard focus has it.
  void hold_keys() { window_.hold_keys(); }
  /// The clipboard with its lines and tabs. ImGui's own fields get a single line.
  std::string clipboard_text() const;
  void set_clipboard_text(const std::string& text);
  /// Converts text to what ImGui's own fields hold, and what was typed to ImGui's input.
  WidgetCharacters& characters() const;
  /// The text typed in this frame, in UTF-8. Keys pressed with Ctrl or Alt type none.
  std::string typed_text() const;
  /// Whether a ring shows which item has the keyboard focus, so that Space presses it.
  bool shows_focus() const;
  /// For a picture of the window, switches off everything transient, such as tooltips.
  void hold_still(bool still) { is_still_ = still; }
  bool is_still() const { return is_still_; }

  Fonts fonts;
  TextureCache textures;
  ShapedLines shaped;
  /// The text of the fields being edited, by ImGui id. It distinguishes an edit from a change that came from
  /// outside.
  std::unordered_map<ImGuiID, std::string> field_texts;

 private:
  Window& window_;
  const Theme* theme_;
  float scale_ = 1.0F;
  float enlargement_ = 1.0F;
  std::size_t enlarged_ = 0;  ///< How often the enlargement has changed.
  const Theme* styled_theme_ = nullptr;
  double wake_in_ = -1.0;
  bool is_still_ = false;
  bool keyboard_leads_ = false;
  std::optional<ImVec2> hushed_at_;  ///< where the mouse was pressed
  ImVec2 rested_on_;                 ///< the corner of the item under the mouse
  double rested_since_ = 0.0;
  std::string sought_;
  int frames_to_seek_ = 0;
  std::optional<double> found_at_;  ///< in ImGui's seconds
};

/// Makes a typeface current for ImGui's own widgets and text until the end of the scope.
class FontScope {
 public:
  FontScope(const Ui& ui, Font font, float size) : FontScope(ui.fonts.at(font, size)) {}

 private:
  explicit FontScope(const SizedFont& sized) : pushed_(sized.font, sized.line_height) {}

  PushedFont pushed_;
};

/// An invisible item, at least one pixel large. Returns true when clicked. ImGui aborts if a side is 0 and
/// takes a negative side for the rest of the room; a narrow window may lead to either.
bool invisible_button(const char* id, ImVec2 size);

ImU32 packed(Color color);
ImU32 packed(Color color, float opacity);
ImVec4 to_vec4(Color color);

}  // namespace headscope
