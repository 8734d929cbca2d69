#pragma once

#include <array>
#include <compare>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/imgui/imgui_compat.h"
#include "core/enum_count.h"
#include "core/figure/figure.h"
#include "core/paint/font_faces.h"

namespace headscope {

/// The text sizes of the window: the em in pixels at scale 1, as in figures.
namespace text_size {
inline constexpr float small = 12.0F;
inline constexpr float control = 12.0F;
inline constexpr float body = 13.0F;
inline constexpr float title = 15.0F;
inline constexpr float headline = 17.0F;
inline constexpr float sentence = 20.0F;
inline constexpr float mono = 12.0F;
}  // namespace text_size

/// A typeface at one size. Text drawn with AddText(font, line_height, ...) or PushedFont(font, line_height)
/// has an em of the requested size.
struct SizedFont {
  ImFont* font = nullptr;
  float line_height = 0.0F;  ///< the size of the font as ImGui defines it: ascent + descent, in pixels
  float ascent = 0.0F;       ///< from the top of ImGui's line to the baseline, in pixels
};

/// Estimates the pixels that the baked glyphs of a typeface will take.
class GlyphArea {
 public:
  void add(const TextSize& glyph);
  /// The pixels of all glyphs, and of the largest one, for an em of `em` pixels.
  double pixels(int em) const;
  double largest_pixels(int em) const;

 private:
  std::size_t count_ = 0;
  // Sums and maxima for an em of 1. A glyph's sides are its width plus its height.
  double area_ = 0.0, sides_ = 0.0;
  double largest_area_ = 0.0, largest_sides_ = 0.0;
};

/// The typefaces as ImGui fonts. Sizes and characters are baked when they are first requested. Until the next
/// prepare(), another size or a box replaces them. Text larger than largest_baked() is drawn from that size.
/// If there are more sizes or characters than the atlas holds, the rest keep their replacements.
class Fonts {
 public:
  Fonts();

  /// The typeface with an em of `size` at scale 1, enlarged by the scale of the last prepare(), which must
  /// have been called before.
  SizedFont at(Font font, float size) const;
  /// Requests every character of a text that is not baked yet, unless uses_shaping() is true for it.
  void request_characters(std::string_view text) const;
  /// Requests them unconditionally, because ImGui's fields draw text letter by letter.
  void request_field_characters(std::string_view text) const;
  /// Whether a text needs ShapedLines, because ImGui would draw it wrong.
  bool uses_shaping(std::string_view text) const;
  /// Whether the next prepare() will bake something, so that another frame is due.
  bool pending() const { return !requested_sizes_.empty() || !requested_characters_.empty(); }
  /// Rebuilds the atlas of the current ImGui context if the scale has changed or something was requested.
  /// Call it only between frames. Returns true if it was rebuilt; then call Window::upload_fonts().
  bool prepare(float scale);

  float scale() const { return scale_; }
  /// The number of rebuilds. Text that was laid out at another number may have another width now.
  std::size_t generation() const { return generation_; }
  /// The width of one line in pixels.
  float width(std::string_view text, Font font, float size) const;
  /// The width of one line, and the ascent + descent of the typeface, in figure units.
  TextSize measure(std::string_view text, Font font, float size) const;
  /// The largest em that is baked, in pixels. Its glyphs must fit into ImGui's buffers, and everything that
  /// is baked into one texture.
  int largest_baked() const { return largest_baked_; }
  /// The font files. Null if they could not be opened.
  FontFaces* faces() const { return faces_.get(); }
  /// The em of a size in whole pixels, as it is drawn.
  int pixels(float size) const;
  /// For an em of 1. The descent is positive.
  float ascent(Font font) const;
  float descent(Font font) const;
  /// Says which fonts are missing and how to install them. Empty if all were found.
  const std::string& complaint() const { return complaint_; }
  /// The same, reported once. Empty afterwards.
  std::string take_complaint() {
    if (complaint_ == reported_problem_) return {};
    reported_problem_ = complaint_;
    return complaint_;
  }
  /// Says which packages provide requested letters that no installed font has. Each package is named once.
  std::string take_hint() {
    return faces_ == nullptr ? "" : font_hint(faces_->missing_letters(), reported_packages_);
  }

 private:
  struct Request {
    Font font;
    int pixels;  ///< the em at the current scale
    auto operator<=>(const Request&) const = default;
  };
  /// The characters that one font file contributes to a typeface: those that earlier files lack.
  struct FontSubset {
    const FontFace* face;
    std::vector<ImWchar> ranges;
    std::vector<ImWchar> left_out;  ///< In the face, but drawn by another subset.
  };

  Request request(Font font, float size) const;
  bool fits(const std::set<Request>& sizes, int largest) const;
  void apply_requested_characters();
  void apply_requested_sizes(float scale);
  void assign_characters();
  void build();
  ImFont* add(const Request& request);
  void set_unhinted_metrics(ImFont& font, const Request& request) const;

  std::shared_ptr<FontFaces> faces_;  ///< Null if they could not be opened.
  std::array<std::vector<FontSubset>, enum_count<Font>>
      parts_;  ///< one list per typeface; ImGui keeps pointers to the ranges
  std::array<GlyphArea, 3> ink_;
  std::size_t n_split_ = 0;  ///< the number of characters in parts_ and ink_
  std::string complaint_, reported_problem_;
  std::set<std::string_view> reported_packages_;
  float scale_ = 0.0F;
  int largest_baked_;
  std::size_t generation_ = 0;
  std::map<Request, SizedFont> baked_;
  std::set<Request> left_out_;  ///< requested, but there are too many sizes
  std::set<char32_t> characters_;
  // These requests arise while a frame is drawn and change nothing in it, so they are mutable.
  mutable std::set<Request> requested_sizes_;
  mutable std::set<Request> used_sizes_;
  mutable std::set<char32_t> requested_characters_;
};

}  // namespace headscope
