#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/figure/theme.h"
#include "core/page/page.h"

namespace headscope {

/// Text sizes on pages. They match those of the window.
namespace page_size {
inline constexpr float small = 12.0F;
inline constexpr float control = 12.0F;
inline constexpr float body = 13.0F;
inline constexpr float title = 15.0F;
inline constexpr float number = 20.0F;
inline constexpr float spacing = 8.0F;  ///< The space below each line.
}  // namespace page_size

/// A piece of text on a line with others.
struct PageWord {
  std::string_view text;
  Font font = Font::sans;
  float size = page_size::body;
  Color color;
  std::string why = {};      ///< Explains the word while the mouse is on it. Empty for most words.
  float least_width = 0.0F;  ///< What follows stands at least this far from where the word begins.
};

/// The guess_text() of a pass, or of a stage's picture, as a word with a tooltip.
PageWord guess_word(const Trace& trace, const Theme& theme);
PageWord guess_word(const Trace& trace, const StageId& shown, const Theme& theme);

/// A page of fixed width that grows downwards, line by line.
class PageBuilder {
 public:
  PageBuilder(const PageInputs& in, const PageTools& tools, float width)
      : theme_(theme_of(in.session.picture.theme)),
        measure_(tools.measure),
        width_(width),
        in_file_(in.in_file) {
    page_.figure.background = theme_.panel;
  }

  PageWord bold(std::string_view text, float size = page_size::body) const {
    return {text, Font::sans_bold, size, theme_.text};
  }
  PageWord muted(std::string_view text, float size = page_size::small) const {
    return {text, Font::sans, size, theme_.quiet};
  }
  /// Adds texts on one baseline, `gap` apart, elided at the end of `room`; in a file, they wrap instead. A
  /// `room` of 0 means the full width. Returns the width of the texts on the last line.
  float line(std::initializer_list<PageWord> words, float gap = 8.0F, float room = 0.0F);
  /// Adds text wrapped at the width, or nothing if it is empty. It is drawn in the quiet colour if `color` is
  /// empty.
  void paragraph(std::string_view text, std::optional<Color> color = {}, float size = page_size::small);
  /// Adds wrapped text in the body size and the text colour.
  void say(std::string_view text) { paragraph(text, theme_.text, page_size::body); }
  /// The same in the quiet colour.
  void explain(std::string_view text) { paragraph(text, {}, page_size::body); }
  /// Returns the page with this text in place of what it cannot show.
  Page instead(std::string_view text) {
    explain(text);
    return take();
  }
  /// Adds text in the Markdown of lessons.
  void prose(const std::string& markdown, Color color);
  /// Adds a muted bold heading with space above it.
  void section(std::string_view title);
  /// Adds a label on the left and a monospaced value on the right. `strong` emphasises the row that results
  /// from the others.
  void row(std::string_view label, std::string_view value, bool strong = false);
  void divider();
  /// Adds a wrapped message with a coloured edge, or nothing if it is empty.
  void notice(std::string_view text);
  void space(float height) { y_ += height; }
  /// Appends a part at the bottom, `x` from the left.
  void add(const Page& part, float x = 0.0F);
  void add(const Figure& part) { add(Page{part, {}}); }
  /// Appends parts in rows of `in_row`, in which one begins every `step`.
  void add_rows(std::span<const Page> parts, std::size_t in_row, float step);

  const Theme& theme() const { return theme_; }
  const MeasureText& measure() const { return measure_; }
  float width() const { return width_; }
  /// Where the next line begins.
  float y() const { return y_; }
  /// The page drawn so far, to which anything may be added anywhere.
  Page& page() { return page_; }
  Figure& figure() { return page_.figure; }
  /// Returns the page, whose height fits its contents.
  Page take();

 private:
  void label(std::string_view text, float x, float y, Font font, float size, Color color);

  const Theme& theme_;
  const MeasureText& measure_;
  float width_;
  bool in_file_;
  float y_ = 0.0F;
  Page page_;
};

/// Adds the tokens of a text as chips: as many as fit on a line around the chosen one, which is marked. If
/// `are_decoded`, the tokens after it are still to come and pale; otherwise, each chip is a LineToken region.
void add_token_chips(PageBuilder& page, std::span<const Token> tokens, int chosen, bool are_decoded);

/// The title of a stage, marked if a difference is shown.
std::string heading_title(const PageInputs& in, StageKind kind);

/// Adds the formula of a stage and, with details, its sum in letters. For a difference, adds what is
/// subtracted.
void formula_line(PageBuilder& page, const PageInputs& in, const StageId& stage);

/// Adds the shape of a stage, its formula, and its sum in letters on one line.
void shape_line(PageBuilder& page, const PageInputs& in, const StageId& stage);

}  // namespace headscope
