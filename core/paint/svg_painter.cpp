#include "core/paint/svg_painter.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <set>
#include <utility>
#include <vector>

#include "core/figure/paintable.h"
#include "core/io/base64.h"
#include "core/paint/png_file.h"
#include "core/text/letters.h"
#include "core/text/visible.h"

namespace headscope {
namespace {

std::string attribute(std::string_view name, double value) {
  return " " + std::string(name) + "=\"" + svg_number(value) + "\"";
}

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + std::string(value) + "\"";
}

std::string hexadecimal(Color color) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "#";
  for (const std::uint8_t channel : {color.r, color.g, color.b}) {
    text += digits[channel >> 4U];
    text += digits[channel & 0xFU];
  }
  return text;
}

/// \param what Either "fill" or "stroke".
std::string paint_of(const std::string& what, Color color) {
  constexpr std::uint8_t opaque = 255;
  const std::string base = attribute(what, hexadecimal(color));
  return color.a == opaque ? base : base + attribute(what + "-opacity", color.a / 255.0);
}

std::string stroke_of(Color color, double thickness) {
  return " fill=\"none\"" + paint_of("stroke", color) + attribute("stroke-width", thickness);
}

std::string rectangle(const Box& box, float rounding) {
  return "rect" + attribute("x", box.x) + attribute("y", box.y) + attribute("width", box.w) +
         attribute("height", box.h) + (rounding > 0.0F ? attribute("rx", rounding) : "");
}

std::string at(double x, double y) {
  return svg_number(x) + " " + svg_number(y);
}
std::string at(Point point) {
  return at(point.x, point.y);
}

/// Substitutes for typefaces that are not installed, the most similar first.
constexpr std::array like_sans{"Inter", "DejaVu Sans", "Noto Sans", "Helvetica Neue", "Segoe UI", "Arial"};
constexpr std::array like_mono{"JetBrains Mono", "DejaVu Sans Mono", "Menlo", "Consolas"};

/// The name of a family without characters that would end it in CSS.
std::string family_name(const FontFace& face) {
  std::string name = face.family();
  std::erase_if(name, [](char c) { return c == '\'' || c == '\\'; });
  return visible_controls(name);
}

/// Lists the typeface, those that have its missing letters, and similar ones.
std::string families_of(const std::vector<TextRun>& runs, Font font, FontFaces& faces) {
  std::vector<std::string> names{family_name(faces.face(font))};
  const auto add = [&names](const std::string& name) {
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const TextRun& run : runs) add(family_name(*run.face));
  if (font == Font::mono) {
    std::ranges::for_each(like_mono, add);
  } else {
    std::ranges::for_each(like_sans, add);
  }
  std::string list;
  for (const std::string& name : names) list += "'" + xml_text(name) + "', ";
  return list + (font == Font::mono ? "monospace" : "sans-serif");
}

/// Writes SVG elements. Consecutive elements that look alike are put into a group with their common
/// attributes.
class SvgPainter {
 public:
  explicit SvgPainter(FontFaces& faces) : faces_(faces) {}

  void operator()(const FilledRect& item) {
    if (item.color.a > 0) add(paint_of("fill", item.color), rectangle(item.box, item.rounding));
  }
  void operator()(const StrokedRect& item) {
    if (item.color.a > 0) add(stroke_of(item.color, item.thickness), rectangle(item.box, item.rounding));
  }
  void operator()(const Line& item) {
    if (item.color.a == 0) return;
    add(stroke_of(item.color, item.thickness), "path d=\"M" + at(item.from) + "L" + at(item.to) + "\"");
  }
  void operator()(const Curve& item) {
    if (item.color.a == 0) return;
    add(stroke_of(item.color, item.thickness), "path d=\"M" + at(item.from) + "C" + at(item.control_1) + " " +
                                                   at(item.control_2) + " " + at(item.to) + "\"");
  }
  void operator()(const Ribbon& item) {
    if (item.color.a == 0) return;
    const auto curve = [](const Curve& edge) {
      return at(edge.from) + "C" + at(edge.control_1) + " " + at(edge.control_2) + " " + at(edge.to);
    };
    add(paint_of("fill", item.color), "path d=\"M" + curve(item.upper()) + "L" + curve(item.lower()) + "Z\"");
  }
  void operator()(const Label& item);
  void operator()(const Raster& item);
  void operator()(const Hatch& item);
  void operator()(const ClipBegin& item);
  void operator()(const ClipEnd& /*item*/) {
    if (open_clips_ == 0) return;
    end_group();
    text_ += "</g>\n";
    --open_clips_;
  }

  /// Returns the elements and closes clips that the figure left open.
  std::string take() {
    while (open_clips_ > 0) (*this)(ClipEnd{});
    end_group();
    return std::move(text_);
  }

 private:
  struct Element {
    std::string start;     ///< Its name and its own attributes.
    std::string contents;  ///< Empty if it has no contents.
  };

  void add(std::string shared, std::string start, std::string contents = {}) {
    if (shared != shared_) end_group();
    shared_ = std::move(shared);
    group_.push_back({std::move(start), std::move(contents)});
  }
  void write(const Element& element, const std::string& more) {
    text_ += "<" + element.start + more;
    const std::string name = element.start.substr(0, element.start.find(' '));
    text_ += element.contents.empty() ? "/>\n" : ">" + element.contents + "</" + name + ">\n";
  }
  void end_group() {
    const bool is_group = group_.size() > 1;
    if (is_group) text_ += "<g" + shared_ + ">\n";
    for (const Element& element : group_) write(element, is_group ? "" : shared_);
    if (is_group) text_ += "</g>\n";
    group_.clear();
    shared_.clear();
  }

  FontFaces& faces_;
  std::string text_;
  std::string shared_;
  std::vector<Element> group_;
  std::set<std::string> clips_;  ///< The names of the clips defined so far.
  int open_clips_ = 0;
};

void SvgPainter::operator()(const Label& item) {
  if (item.color.a == 0) return;
  std::string shown = visible_controls(item.text);
  std::ranges::replace_if(
      shown, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  const LineSize line = faces_.line_size(shown, item.font, item.size);
  const double baseline = line.baseline(item.vertical);
  std::string look =
      attribute("font-family", families_of(faces_.runs_of(shown, item.font), item.font, faces_)) +
      attribute("font-size", item.size) + paint_of("fill", item.color);
  if (item.font == Font::sans_bold) look += " font-weight=\"600\"";
  // The start of a line that runs from the right is its right end.
  const bool is_backward = is_right_to_left(shown);
  if (is_backward) look += " direction=\"rtl\"";
  if (needs_shaping(shown)) look += " style=\"font-variant-ligatures:normal\"";
  if (item.horizontal == HorizontalAnchor::center) look += " text-anchor=\"middle\"";
  if (item.horizontal == (is_backward ? HorizontalAnchor::left : HorizontalAnchor::right))
    look += " text-anchor=\"end\"";
  std::string start = "text";
  if (item.degrees == 0.0F) {
    start += attribute("x", item.at.x) + attribute("y", item.at.y + baseline);
  } else {
    start += attribute("y", baseline) + attribute("transform", "translate(" + at(item.at) + ") rotate(" +
                                                                   svg_number(-item.degrees) + ")");
  }
  // Letters without width, such as lone accents, cannot be stretched to a length.
  constexpr double min_width = 0.001;
  if (line.width >= min_width)
    start += attribute("textLength", line.width) + " lengthAdjust=\"spacingAndGlyphs\"";
  add(std::move(look), std::move(start), xml_text(with_isolated_quotes(shown)));
}

void SvgPainter::operator()(const Raster& item) {
  const Result<std::string> png = png_bytes(*item.image, {});
  if (!png) return;
  // A reader uses the last of these values that it knows.
  constexpr std::string_view cells_stay_sharp =
      "image-rendering:optimizeSpeed;image-rendering:crisp-edges;image-rendering:pixelated";
  add(" preserveAspectRatio=\"none\"" + attribute("style", cells_stay_sharp),
      "image" + attribute("x", item.box.x) + attribute("y", item.box.y) + attribute("width", item.box.w) +
          attribute("height", item.box.h) +
          attribute("xlink:href", "data:image/png;base64," + to_base64(*png)));
}

void SvgPainter::operator()(const Hatch& item) {
  if (item.color.a == 0) return;
  const Box& box = item.box;
  // Strokes lie where x + y is a multiple of the spacing, as in the other painters.
  const double spacing = item.spacing * std::numbers::sqrt2;
  const auto first = static_cast<long>(std::ceil((box.x + box.y) / spacing));
  const auto last = static_cast<long>(std::floor((box.right() + box.bottom()) / spacing));
  std::string strokes;
  for (long i = first; i <= last; ++i) {
    const double sum = static_cast<double>(i) * spacing;
    const double left = std::max<double>(box.x, sum - box.bottom());
    const double right = std::min<double>(box.right(), sum - box.y);
    if (left < right) strokes += "M" + at(left, sum - left) + "L" + at(right, sum - right);
  }
  if (!strokes.empty()) add(stroke_of(item.color, 1.0), "path" + attribute("d", strokes));
}

void SvgPainter::operator()(const ClipBegin& item) {
  end_group();
  // Clips are named after their boxes, so that equal names mean equal clips if several figures are put into
  // one document.
  const Box& box = item.box;
  std::string name = "clip";
  for (const float side : {box.x, box.y, box.w, box.h}) name += "_" + svg_number(side);
  if (clips_.insert(name).second)
    text_ += "<clipPath" + attribute("id", name) + "><" + rectangle(box, 0.0F) + "/></clipPath>\n";
  text_ += "<g" + attribute("clip-path", "url(#" + name + ")") + ">\n";
  ++open_clips_;
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\r':  // A reader would take a literal carriage return for a line end.
        result += "&#13;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string svg_number(double value) {
  constexpr int digits = 3;  // A thousandth of a pixel is finer than any printer can show.
  std::array<char, 32> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, digits)
          .ptr;
  std::string text(buffer.data(), end);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string svg_elements(const Figure& figure, FontFaces& fonts) {
  SvgPainter painter(fonts);
  paint_items(figure, painter);
  return painter.take();
}

Result<std::string> svg_bytes(const Figure& figure, FontFaces& fonts, const std::vector<Metadata>& metadata,
                              float unit_size, const char* unit_name) {
  if (!(figure.width > 0.0F && figure.height > 0.0F && figure.width <= paint_limits::max_coordinate &&
        figure.height <= paint_limits::max_coordinate)) {
    return usage_error("a picture needs a width and a height above 0");
  }
  const auto side = [&](float length) { return svg_number(unit_size * length) + unit_name; };
  // Spaces in labels are preserved, and ligatures are disabled because Cairo does not use any.
  std::string bytes =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"" +
      side(figure.width) + "\" height=\"" + side(figure.height) + "\" viewBox=\"0 0 " +
      svg_number(figure.width) + " " + svg_number(figure.height) +
      "\" xml:space=\"preserve\" style=\"font-variant-ligatures:none\">\n";
  if (!metadata.empty()) bytes += "<desc>" + xml_text(as_lines(metadata)) + "</desc>\n";
  if (const Metadata* scene = entry_of(metadata, scene_key))
    bytes += "<metadata>" + xml_text(scene->text) + "</metadata>\n";
  return bytes + svg_elements(figure, fonts) + "</svg>\n";
}

}  // namespace headscope
