#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace headscope {

struct Color {
  std::uint8_t r = 0, g = 0, b = 0, a = 255;
  bool operator==(const Color&) const = default;
};

struct Point {
  float x = 0.0F, y = 0.0F;
  bool operator==(const Point&) const = default;
};

/// Left, top, width and height in figure units (pixels at scale 1). The y axis points downwards.
struct Box {
  float x = 0.0F, y = 0.0F, w = 0.0F, h = 0.0F;
  float right() const { return x + w; }
  float bottom() const { return y + h; }
  Point center() const { return {x + 0.5F * w, y + 0.5F * h}; }
  /// The box whose sides are all this much farther out, or farther in if it is negative.
  Box grown(float by) const { return {x - by, y - by, w + 2.0F * by, h + 2.0F * by}; }
  bool contains(Point p) const { return p.x >= x && p.x < right() && p.y >= y && p.y < bottom(); }
  bool operator==(const Box&) const = default;
};

/// Pixels in row-major order from the top. Immutable once shared, so painters may cache it by address.
struct Image {
  int width = 0, height = 0;
  std::vector<Color> pixels;
  bool operator==(const Image&) const = default;
};

enum class Font { sans, sans_bold, mono };
enum class HorizontalAnchor { left, center, right };
enum class VerticalAnchor { top, middle, bottom };

struct FilledRect {
  Box box;
  Color color;
  float rounding = 0.0F;
  bool operator==(const FilledRect&) const = default;
};
struct StrokedRect {
  Box box;
  Color color;
  float thickness = 1.0F;
  float rounding = 0.0F;
  bool operator==(const StrokedRect&) const = default;
};
struct Line {
  Point from, to;
  Color color;
  float thickness = 1.0F;
  bool operator==(const Line&) const = default;
};
/// A cubic Bézier curve.
struct Curve {
  Point from, control_1, control_2, to;
  Color color;
  float thickness = 1.0F;
  bool operator==(const Curve&) const = default;
};
/// A filled band with vertical ends, whose edges are cubic curves with horizontal tangents at the ends.
/// `from` and `to` are the upper corners of its left and right ends.
struct Ribbon {
  Point from;
  float from_height = 0.0F;
  Point to;
  float to_height = 0.0F;
  Color color;

  /// The curves of the upper edge, from left to right, and of the lower edge, from right to left.
  Curve upper() const { return edge(from, to); }
  Curve lower() const { return edge({to.x, to.y + to_height}, {from.x, from.y + from_height}); }
  bool operator==(const Ribbon&) const = default;

 private:
  Curve edge(Point begin, Point end) const {
    const float middle = 0.5F * (begin.x + end.x);
    return {begin, {middle, begin.y}, {middle, end.y}, end, color, 1.0F};
  }
};
/// A single line of text, rotated about its anchor by `degrees` counter-clockwise.
struct Label {
  std::string text;
  Point at;
  Color color;
  float size = 13.0F;
  Font font = Font::sans;
  HorizontalAnchor horizontal = HorizontalAnchor::left;
  VerticalAnchor vertical = VerticalAnchor::top;
  float degrees = 0.0F;
  bool operator==(const Label&) const = default;
};
/// An image that is stretched over a box without smoothing, with one pixel per cell.
struct Raster {
  std::shared_ptr<const Image> image;
  Box box;
  /// Compares the pixels of the images, not their addresses.
  bool operator==(const Raster& other) const {
    const bool same = image == other.image || (image && other.image && *image == *other.image);
    return same && box == other.box;
  }
};
/// Diagonal strokes over a box without a number (−∞, or no counterpart).
struct Hatch {
  Box box;
  Color color;
  float spacing = 5.0F;
  bool operator==(const Hatch&) const = default;
};
/// Clips the following items to the box until the matching ClipEnd.
struct ClipBegin {
  Box box;
  bool operator==(const ClipBegin&) const = default;
};
struct ClipEnd {
  bool operator==(const ClipEnd&) const = default;
};

using Item =
    std::variant<FilledRect, StrokedRect, Line, Curve, Ribbon, Label, Raster, Hatch, ClipBegin, ClipEnd>;

/// A resolution-independent picture, painted in order. The screen (ImGui) and files (PNG, SVG, PDF) paint the
/// same items, so an export looks like the screen.
struct Figure {
  float width = 0.0F, height = 0.0F;
  Color background;
  std::vector<Item> items;

  /// Adds a label.
  void write(std::string text, Point at, Color color, float size, Font font = Font::sans,
             HorizontalAnchor horizontal = HorizontalAnchor::left,
             VerticalAnchor vertical = VerticalAnchor::top, float degrees = 0.0F) {
    items.emplace_back(Label{std::move(text), at, color, size, font, horizontal, vertical, degrees});
  }
  bool operator==(const Figure&) const = default;
};

/// Appends `part`, shifted by (x, y).
void append(Figure& figure, const Figure& part, float x, float y);
void add_box(Figure& figure, const Box& box, Color color, float rounding = 0.0F);
void add_frame(Figure& figure, const Box& box, Color color, float thickness = 1.0F, float rounding = 0.0F);
void add_line(Figure& figure, Point from, Point to, Color color, float thickness = 1.0F);
/// Adds a text whose anchor is its left end at half of its height, unless said otherwise.
void add_text(Figure& figure, std::string text, Point at, Color color, float size, Font font = Font::sans,
              HorizontalAnchor horizontal = HorizontalAnchor::left,
              VerticalAnchor vertical = VerticalAnchor::middle);

/// The figure enlarged by the factor `by`, including its text and strokes.
Figure scaled(Figure figure, float by);

/// The beginning of a figure that is higher than `most`, cut where nothing crosses the edge and no heading
/// stands last. The figure itself if it is not higher, or if no such edge leaves at least half of `most`.
Figure beginning_of(Figure figure, float most);

/// A width and a height in figure units.
struct Size {
  float width = 0.0F, height = 0.0F;
  bool operator==(const Size&) const = default;
};
using TextSize = Size;
/// Measures one line of text, which is all that layouts need to know about fonts. Implemented for the screen
/// and for files.
using MeasureText = std::function<TextSize(std::string_view text, Font font, float size)>;

}  // namespace headscope
