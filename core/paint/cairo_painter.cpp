#include "core/paint/cairo_painter.h"

#include <cmath>
#include <numbers>

#include "core/figure/paintable.h"
#include "core/paint/cairo_fonts.h"

namespace headscope {
namespace {

std::uint32_t premultiplied(Color color) {
  const auto scaled = [&color](std::uint8_t channel) {
    return static_cast<std::uint32_t>((channel * color.a + 127) / 255);
  };
  return (static_cast<std::uint32_t>(color.a) << 24U) | (scaled(color.r) << 16U) | (scaled(color.g) << 8U) |
         scaled(color.b);
}

class Painter {
 public:
  Painter(cairo_t* context, CairoFonts::Faces& faces) : context_(context), faces_(faces) {}
  /// Closes the clips that the figure left open.
  ~Painter() {
    for (; open_clips_ > 0; --open_clips_) cairo_restore(context_);
  }
  Painter(const Painter&) = delete;
  Painter& operator=(const Painter&) = delete;

  void operator()(const FilledRect& item) {
    set_color(item.color);
    trace_box(item.box, item.rounding);
    cairo_fill(context_);
  }
  void operator()(const StrokedRect& item) {
    set_color(item.color);
    trace_box(item.box, item.rounding);
    stroke(item.thickness);
  }
  void operator()(const Line& item) {
    set_color(item.color);
    cairo_move_to(context_, item.from.x, item.from.y);
    cairo_line_to(context_, item.to.x, item.to.y);
    stroke(item.thickness);
  }
  void operator()(const Curve& item) {
    set_color(item.color);
    cairo_move_to(context_, item.from.x, item.from.y);
    cairo_curve_to(context_, item.control_1.x, item.control_1.y, item.control_2.x, item.control_2.y,
                   item.to.x, item.to.y);
    stroke(item.thickness);
  }
  void operator()(const Label& item);
  void operator()(const Raster& item);
  void operator()(const Hatch& item);
  void operator()(const ClipBegin& item) {
    cairo_save(context_);
    ++open_clips_;
    trace_box(item.box, 0.0);
    cairo_clip(context_);
  }
  void operator()(const ClipEnd& /*item*/) {
    if (open_clips_ == 0) return;
    cairo_restore(context_);
    --open_clips_;
  }

 private:
  void set_color(Color color) {
    cairo_set_source_rgba(context_, color.r / 255.0, color.g / 255.0, color.b / 255.0, color.a / 255.0);
  }
  void stroke(float thickness) {
    cairo_set_line_width(context_, thickness);
    cairo_stroke(context_);
  }
  void trace_box(const Box& box, double radius) {
    if (radius == 0.0) {
      cairo_rectangle(context_, box.x, box.y, box.w, box.h);
      return;
    }
    constexpr double quarter = std::numbers::pi / 2.0;
    cairo_new_sub_path(context_);
    cairo_arc(context_, box.right() - radius, box.y + radius, radius, -quarter, 0.0);
    cairo_arc(context_, box.right() - radius, box.bottom() - radius, radius, 0.0, quarter);
    cairo_arc(context_, box.x + radius, box.bottom() - radius, radius, quarter, 2.0 * quarter);
    cairo_arc(context_, box.x + radius, box.y + radius, radius, 2.0 * quarter, 3.0 * quarter);
    cairo_close_path(context_);
  }

  cairo_t* context_;
  CairoFonts::Faces& faces_;
  int open_clips_ = 0;
};

void Painter::operator()(const Label& item) {
  const std::vector<TextRun> runs = runs_of(item.text, item.font, faces_);
  const LineSize line = measure_line(runs, item.font, item.size, faces_, context_);
  double x = 0.0;
  if (item.horizontal == HorizontalAnchor::center) x = -0.5 * line.width;
  if (item.horizontal == HorizontalAnchor::right) x = -line.width;
  double baseline = line.ascent;
  if (item.vertical == VerticalAnchor::middle) baseline = 0.5 * (line.ascent - line.descent);
  if (item.vertical == VerticalAnchor::bottom) baseline = -line.descent;
  cairo_save(context_);
  set_color(item.color);
  cairo_translate(context_, item.at.x, item.at.y);
  cairo_rotate(context_, -item.degrees * std::numbers::pi / 180.0);
  cairo_set_font_size(context_, item.size);
  cairo_move_to(context_, x, baseline);
  for (const TextRun& run : runs) {
    cairo_set_font_face(context_, run.face->cairo.get());
    cairo_show_text(context_, run.text.c_str());
  }
  cairo_new_path(context_);
  cairo_restore(context_);
}

void Painter::operator()(const Raster& item) {
  const Image& image = *item.image;
  const CairoPtr<cairo_surface_t> surface(
      cairo_image_surface_create(CAIRO_FORMAT_ARGB32, image.width, image.height));
  if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS) return;
  cairo_surface_flush(surface.get());
  const int stride = cairo_image_surface_get_stride(surface.get()) / 4;
  auto* pixels = reinterpret_cast<std::uint32_t*>(cairo_image_surface_get_data(surface.get()));
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      pixels[static_cast<std::ptrdiff_t>(y) * stride + x] =
          premultiplied(image.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                                     static_cast<std::size_t>(x)]);
    }
  }
  cairo_surface_mark_dirty(surface.get());
  cairo_save(context_);
  cairo_translate(context_, item.box.x, item.box.y);
  cairo_scale(context_, item.box.w / static_cast<float>(image.width),
              item.box.h / static_cast<float>(image.height));
  cairo_set_source_surface(context_, surface.get(), 0.0, 0.0);
  cairo_pattern_set_filter(cairo_get_source(context_), CAIRO_FILTER_NEAREST);
  cairo_rectangle(context_, 0.0, 0.0, image.width, image.height);
  cairo_fill(context_);
  cairo_restore(context_);
}

void Painter::operator()(const Hatch& item) {
  cairo_save(context_);
  trace_box(item.box, 0.0);
  cairo_clip(context_);
  set_color(item.color);
  // Strokes lie where x + y is a multiple of the spacing, so those of neighbouring boxes meet.
  const double spacing = item.spacing * std::numbers::sqrt2;
  const auto first = static_cast<long>(std::ceil((item.box.x + item.box.y) / spacing));
  const auto last = static_cast<long>(std::floor((item.box.right() + item.box.bottom()) / spacing));
  for (long i = first; i <= last; ++i) {
    const double sum = static_cast<double>(i) * spacing;
    cairo_move_to(context_, sum - item.box.bottom(), item.box.bottom());
    cairo_line_to(context_, sum - item.box.y, item.box.y);
  }
  stroke(1.0F);
  cairo_restore(context_);
}

}  // namespace

void paint(const Figure& figure, cairo_t* cairo, const CairoFonts& fonts) {
  CairoFonts::Faces& faces = fonts.faces();
  cairo_save(cairo);
  cairo_set_font_options(cairo, faces.options.get());
  {
    Painter painter(cairo, faces);
    paint_items(figure, painter);
  }
  cairo_restore(cairo);
}

}  // namespace headscope
