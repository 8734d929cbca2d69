#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "app/platform/widget_characters.h"
#include "app/platform/window.h"
#include "app/ui/fonts.h"
#include "core/figure/colormap.h"
#include "core/figure/theme.h"

namespace headscope {

/// The textures of the images on the screen. A texture lives as long as its image.
class TextureCache {
 public:
  explicit TextureCache(TextureStore& store) : store_(store) {}
  TextureCache(const TextureCache&) = delete;
  TextureCache& operator=(const TextureCache&) = delete;
  ~TextureCache();

  /// The texture of an image, made at the first call. `no_texture` if the store refuses the image.
  ImTextureID of(const std::shared_ptr<const Image>& image);
  /// Drops the textures whose images no longer exist. Call it once per frame, but not between the first use
  /// in a frame and its rendering.
  void sweep();
  std::size_t size() const { return textures_.size(); }

 private:
  struct CachedTexture {
    std::weak_ptr<const Image> image;
    ImTextureID texture;
  };
  TextureStore& store_;
  std::map<const Image*, CachedTexture> textures_;
};

/// Draws the lines of text that Fonts::uses_shaping() selects as small pictures. A picture is made when its
/// line is first visible, and cached while it is or memory allows.
class ShapedLines {
 public:
  ShapedLines(const Fonts& fonts, TextureCache& textures) : fonts_(fonts), textures_(textures) {}

  /// Draws a label whose place and size are in ImGui pixels, moved to whole pixels.
  void draw(ImDrawList& list, const Label& label) const;
  /// Evicts pictures that the last frame did not use if the cache is large. Call it once per frame.
  void sweep();
  std::size_t n_pixels() const { return n_pixels_; }

 private:
  /// The text, font, size, colour without opacity, and degrees.
  using Key = std::tuple<std::string, Font, float, std::uint32_t, float>;
  struct Picture {
    std::shared_ptr<const Image> image;  ///< Null if it could not be made.
    bool is_used = true;                 ///< In this frame.
  };
  /// Whole pixels around a line, relative to the point where its baseline begins.
  struct PixelBox {
    float left, top, right, bottom;
  };
  static PixelBox pixel_box_of(const LineSize& line, const Label& label);
  Picture make_picture(const Label& label, const LineSize& line, const PixelBox& frame) const;

  const Fonts& fonts_;
  TextureCache& textures_;
  // Drawing changes nothing that is seen, so it is const like that of other text.
  mutable std::map<Key, Picture> pictures_;
  mutable std::size_t n_pixels_ = 0;
};

/// The limits of the interface scale.
inline constexpr float smallest_ui_scale = 0.5F;
inline constexpr float largest_ui_scale = 4.0F;

/// The drawing context of all widgets and views. Create it once, after the window.
///
///     ui.prepare(theme, scale, enlargement);   // between frames
///     window.begin_frame(); ... widgets ... ; window.end_frame();
class Ui {
 public:
  explicit Ui(Window& window);

  /// Bakes fonts, sets the style and drops unused textures. Call it once before every Window::begin_frame().
  /// `enlargement` is the factor by which pages are drawn larger than controls.
  void prepare(const Theme& theme, float scale, float enlargement = 1.0F);
  /// Switches the theme. Call it within a frame before anything is drawn, so that no picture is cached with
  /// the colours of both themes.
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

  /// Requests a frame in `seconds`, for a change without input. The earliest request counts.
  void wake_in(double seconds);
  /// The earliest time requested with wake_in() since the last call, for FramePacer::due_in(). Negative if
  /// there was none.
  double take_wake_time();
  /// Whether tooltips are suppressed: the mouse was pressed and has not moved since.
  bool suppresses_tooltips() const { return pressed_at_.has_value(); }
  /// Whether to show the last item's tooltip: the mouse has rested on it, or it has the keyboard focus.
  bool should_explain_item();

  /// Scrolls the control with this explanation into view, and draws a ring around it for a moment.
  void reveal(const char* explanation);
  /// Every item calls this with its explanation. Returns the opacity of the ring around it, 0 to 1; empty: no
  /// ring.
  std::optional<float> reveal_strength(const char* explanation);
  /// Whether the control with this explanation is being revealed, so that its container must open.
  bool is_revealing(std::string_view explanation) const {
    return frames_to_reveal_ > 0 && revealed_ == explanation;
  }
  /// The explanation to reveal, reported once, if no control had it; otherwise empty.
  std::string take_unrevealed();

  /// Call this once per frame, after Window::begin_frame(). It shows the keyboard focus while the user moves
  /// it from item to item, and hides it after a click. Keys that are commands do not show it.
  void update_focus_visibility();
  /// Focuses the next item, a text field, and defers keys until it is active.
  void focus_next_item();
  /// Defers typing until the field that is about to take the keyboard focus has it.
  void hold_keys() { window_.hold_keys(); }
  /// The clipboard with its lines and tabs. ImGui's own fields get a single line.
  std::string clipboard_text() const;
  void set_clipboard_text(const std::string& text);
  /// Converts between text and what ImGui's own fields hold.
  WidgetCharacters& characters() const;
  /// The text typed in this frame, in UTF-8. Keys pressed with Ctrl or Alt type none.
  std::string typed_text() const;
  /// Hides everything transient, such as tooltips, for a screenshot.
  void hide_transients(bool hides) { hides_transients_ = hides; }
  bool hides_transients() const { return hides_transients_; }

  Fonts fonts;
  TextureCache textures;
  ShapedLines shaped;
  /// The text of the fields being edited, by ImGui id. It distinguishes an edit from a change that came from
  /// outside.
  std::unordered_map<ImGuiID, std::string> field_texts;
  double field_used_at = 0.0;  ///< when a field last took the keys, in ImGui's seconds

 private:
  Window& window_;
  const Theme* theme_;
  float scale_ = 1.0F;
  float enlargement_ = 1.0F;
  std::size_t enlarged_ = 0;  ///< counts changes of the enlargement
  const Theme* styled_theme_ = nullptr;
  double wake_in_ = -1.0;
  bool hides_transients_ = false;
  bool shows_keyboard_focus_ = false;
  std::optional<ImVec2> pressed_at_;  ///< where the mouse was pressed
  ImVec2 rested_on_;                  ///< the corner of the item under the mouse
  double rested_since_ = 0.0;
  std::string revealed_;
  int frames_to_reveal_ = 0;
  std::optional<double> found_at_;  ///< in ImGui's seconds
};

/// Makes a typeface current for ImGui's own widgets and text as long as the result lives.
inline PushedFont push_font(const Ui& ui, Font font, float size) {
  const SizedFont sized = ui.fonts.at(font, size);
  return {sized.font, sized.line_height};
}

/// An invisible item, at least one pixel large. Returns true when clicked. ImGui aborts if a side is 0 and
/// takes a negative side for the rest of the room; a narrow window may lead to either.
bool invisible_button(const char* id, ImVec2 size);

ImU32 packed(Color color);
ImU32 packed(Color color, float opacity);
ImVec4 to_vec4(Color color);

}  // namespace headscope
