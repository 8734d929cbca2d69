#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "core/figure/theme.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// Sizes of a page's text, as those of the window.
namespace page_size {
inline constexpr float small = 11.0F;
inline constexpr float control = 12.0F;
inline constexpr float body = 13.0F;
inline constexpr float title = 15.0F;
inline constexpr float number = 20.0F;
inline constexpr float spacing = 8.0F;  ///< below each line
}  // namespace page_size

/// One of several texts that stand on one line.
struct PageWord {
  std::string_view text;
  Font font = Font::sans;
  float size = page_size::body;
  Color color;
};

/// A page that grows downwards, line by line, in a given width.
class PageText {
 public:
  PageText(const PageInputs& in, const PageTools& tools, float width)
      : theme_(theme_of(in.session.picture.theme)), measure_(tools.measure), width_(width) {
    page_.figure.background = theme_.panel;
  }

  /// Texts on one baseline, `gap` apart, cut where the room ends. `room` 0: the whole width. Returns the
  /// width that they take.
  float line(std::initializer_list<PageWord> words, float gap = 8.0F, float room = 0.0F);
  /// Wrapped at the width. Without a colour: quiet.
  void paragraph(std::string_view text, std::optional<Color> color = {}, float size = page_size::small);
  /// A quiet bold heading, with its space above.
  void section(std::string_view title);
  /// Label left, value right in mono; `strong` for the row that the others lead to.
  void row(std::string_view label, std::string_view value, bool strong = false);
  void divider();
  /// A message with a coloured edge, wrapped.
  void notice(std::string_view text);
  void space(float height) { y_ += height; }
  /// A part below what is there, `x` from the left.
  void add(const Page& part, float x = 0.0F);
  void add(const Figure& part) { add(Page{part, {}}); }

  const Theme& theme() const { return theme_; }
  const MeasureText& measure() const { return measure_; }
  float width() const { return width_; }
  /// Where the next line begins.
  float y() const { return y_; }
  /// What is drawn so far, to add to at any place.
  Page& page() { return page_; }
  /// The page, as wide as it was begun and as high as it has become.
  Page take();

 private:
  void label(std::string_view text, float x, float y, Font font, float size, Color color);

  const Theme& theme_;
  const MeasureText& measure_;
  float width_;
  float y_ = 0.0F;
  Page page_;
};

}  // namespace headscope
