#include <cairo-ft.h>
#include <cairo-pdf.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <numbers>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "core/figure/paintable.h"
#include "core/paint/native/shaped_line.h"
#include "core/paint/pdf_attachment.h"
#include "core/paint/pdf_writer.h"
#include "core/paint/rasterize.h"
#include "core/text/letters.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

struct CairoDelete {
  void operator()(cairo_t* context) const { cairo_destroy(context); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_font_face_t* face) const { cairo_font_face_destroy(face); }
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};
template <class T>
using CairoPtr = std::unique_ptr<T, CairoDelete>;

std::uint32_t premultiplied(Color color) {
  const auto scaled = [&color](std::uint8_t channel) {
    return static_cast<std::uint32_t>((channel * color.a + 127) / 255);
  };
  return (static_cast<std::uint32_t>(color.a) << 24U) | (scaled(color.r) << 16U) | (scaled(color.g) << 8U) |
         scaled(color.b);
}

CairoPtr<cairo_font_options_t> stable_options() {
  CairoPtr<cairo_font_options_t> options(cairo_font_options_create());
  cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  return options;
}

/// Cairo's cache may keep a face longer than this program does, so Cairo keeps the open file as well.
CairoPtr<cairo_font_face_t> cairo_face(const FontFace& face) {
  static const cairo_user_data_key_t key{};
  // Glyphs with colours may be bitmaps.
  const int flags = FT_LOAD_NO_HINTING | (face.is_colored() ? FT_LOAD_COLOR : FT_LOAD_NO_BITMAP);
  CairoPtr<cairo_font_face_t> made(cairo_ft_font_face_create_for_ft_face(face.freetype(), flags));
  auto held = std::make_unique<FontFace>(face);
  const auto release = [](void* kept) { delete static_cast<FontFace*>(kept); };
  if (cairo_font_face_set_user_data(made.get(), &key, held.get(), release) != CAIRO_STATUS_SUCCESS)
    throw std::bad_alloc();
  static_cast<void>(held.release());
  return made;
}

/// Whether a PDF says for each run of glyphs which text it is. Readers of a PDF order letters by lines that
/// are level or upright, so that they would take each letter of a slanted word for a word.
bool has_text_of_runs(const Label& label) {
  return needs_shaping(label.text) || std::fmod(label.degrees, 90.0F) != 0.0F;
}

class Painter {
 public:
  Painter(cairo_t* context, FontFaces& faces) : context_(context), faces_(faces) {}
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
    trace(item);
    stroke(item.thickness);
  }
  void operator()(const Ribbon& item) {
    set_color(item.color);
    trace(item.upper());
    trace(item.lower());
    cairo_close_path(context_);
    cairo_fill(context_);
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
  /// Adds a curve to the path, connected by a straight line if there is a path already.
  void trace(const Curve& curve) {
    cairo_line_to(context_, curve.from.x, curve.from.y);
    cairo_curve_to(context_, curve.control_1.x, curve.control_1.y, curve.control_2.x, curve.control_2.y,
                   curve.to.x, curve.to.y);
  }
  void use_face(const FontFace& used) {
    CairoPtr<cairo_font_face_t>& face = cairo_faces_[&used];
    if (face == nullptr) face = cairo_face(used);
    cairo_set_font_face(context_, face.get());
  }
  /// \param left, baseline Where the line begins.
  void show_shaped(const Label& item, double left, double baseline);
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
  FontFaces& faces_;
  std::map<const FontFace*, CairoPtr<cairo_font_face_t>> cairo_faces_;
  int open_clips_ = 0;
};

void Painter::operator()(const Label& item) {
  const LineSize line = faces_.line_size(item.text, item.font, item.size);
  cairo_save(context_);
  set_color(item.color);
  cairo_translate(context_, item.at.x, item.at.y);
  cairo_rotate(context_, -item.degrees * std::numbers::pi / 180.0);
  cairo_set_font_size(context_, item.size);
  if (has_text_of_runs(item)) {
    show_shaped(item, line.left(item.horizontal), line.baseline(item.vertical));
  } else {
    cairo_move_to(context_, line.left(item.horizontal), line.baseline(item.vertical));
    for (const TextRun& run : faces_.runs_of(item.text, item.font)) {
      use_face(*run.face);
      cairo_show_text(context_, run.text.c_str());
    }
    cairo_new_path(context_);
  }
  cairo_restore(context_);
}

void Painter::show_shaped(const Label& item, double left, double baseline) {
  for (const GlyphRun& run : shaped_line(item.text, item.font, faces_).runs) {
    std::vector<cairo_glyph_t> glyphs;
    for (const PlacedGlyph& glyph : run.glyphs)
      glyphs.push_back({glyph.index, left + glyph.x * item.size, baseline + glyph.y * item.size});
    std::vector<cairo_text_cluster_t> clusters;
    for (const GlyphCluster& cluster : run.clusters) clusters.push_back({cluster.n_bytes, cluster.n_glyphs});
    if (!needs_shaping(item.text))
      clusters = {{static_cast<int>(run.text.size()), static_cast<int>(glyphs.size())}};
    use_face(*run.face);
    cairo_show_text_glyphs(context_, run.text.data(), static_cast<int>(run.text.size()), glyphs.data(),
                           static_cast<int>(glyphs.size()), clusters.data(),
                           static_cast<int>(clusters.size()),
                           run.is_backward ? CAIRO_TEXT_CLUSTER_FLAG_BACKWARD : cairo_text_cluster_flags_t{});
  }
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

/// Paints a figure with its units as Cairo's user units. For an image surface, the caller sets the scale; PDF
/// surfaces use points. Hinting is off, so text has the same shape at every scale.
void paint(const Figure& figure, cairo_t* cairo, FontFaces& fonts) {
  cairo_save(cairo);
  cairo_set_font_options(cairo, stable_options().get());
  {
    Painter painter(cairo, fonts);
    paint_items(figure, painter);
  }
  cairo_restore(cairo);
}

/// Cairo's limit on the side of an image.
constexpr float greatest_side = 32767.0F;
constexpr float max_drawn_pixels = 150e6F;  ///< 600 MB of memory.

Color straight(std::uint32_t pixel) {
  const auto alpha = static_cast<std::uint8_t>(pixel >> 24U);
  constexpr std::uint8_t opaque = 255;
  if (alpha == opaque) {
    return {static_cast<std::uint8_t>(pixel >> 16U), static_cast<std::uint8_t>(pixel >> 8U),
            static_cast<std::uint8_t>(pixel), opaque};
  }
  const auto channel = [pixel, alpha](unsigned shift) {
    const std::uint32_t value = (pixel >> shift) & 0xFFU;
    return static_cast<std::uint8_t>(alpha == 0 ? 0 : std::min(255U, (value * 255U + alpha / 2U) / alpha));
  };
  return {channel(16), channel(8), channel(0), alpha};
}

cairo_status_t append_bytes(void* bytes, const unsigned char* data, unsigned int size) {
  // An exception must not pass through the frames of Cairo.
  try {
    static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), size);
  } catch (...) {
    return CAIRO_STATUS_NO_MEMORY;
  }
  return CAIRO_STATUS_SUCCESS;
}

/// \param zoom The number of points per figure unit.
Result<void> paint_on(std::span<const Figure> pages, cairo_surface_t* surface, FontFaces& fonts,
                      double zoom) {
  const CairoPtr<cairo_t> context(cairo_create(surface));
  for (const Figure& page : pages) {
    cairo_pdf_surface_set_size(surface, zoom * page.width, zoom * page.height);
    cairo_save(context.get());
    cairo_scale(context.get(), zoom, zoom);
    paint(page, context.get(), fonts);
    cairo_restore(context.get());
    cairo_show_page(context.get());
  }
  cairo_surface_finish(surface);
  cairo_status_t status = cairo_status(context.get());
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface);
  if (status == CAIRO_STATUS_SUCCESS) return {};
  return failure(std::string("the figure could not be drawn: ") + cairo_status_to_string(status));
}

bool has_text_of_runs(std::span<const Figure> pages) {
  return std::ranges::any_of(pages, [](const Figure& page) {
    return std::ranges::any_of(page.items, [](const auto& item) {
      const auto* label = std::get_if<Label>(&item);
      return label != nullptr && has_text_of_runs(*label);
    });
  });
}

}  // namespace

Result<Image> rasterized(const Figure& figure, float scale, FontFaces& fonts) {
  const auto [width, height] = raster_size(figure, scale);
  if (!(scale > 0.0F) || !(width >= 1.0F) || !(height >= 1.0F)) {
    return usage_error("a picture needs a size and a scale above 0");
  }
  if (width > greatest_side || height > greatest_side) {
    return usage_error("the picture would exceed 32767 pixels on a side: choose a smaller scale");
  }
  if (width * height > max_drawn_pixels) {
    return usage_error("the picture would have " + grouped(std::llround(width * height)) +
                       " pixels, more than " + grouped(std::llround(max_drawn_pixels)) +
                       ": choose a smaller scale");
  }
  Image image{static_cast<int>(width), static_cast<int>(height), {}};
  const auto n_pixels = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  image.pixels.resize(n_pixels, Color{0, 0, 0, 0});
  // Cairo draws into the memory of the picture. Its pixels are then converted one by one.
  static_assert(sizeof(Color) == sizeof(std::uint32_t));
  const CairoPtr<cairo_surface_t> surface(cairo_image_surface_create_for_data(
      reinterpret_cast<unsigned char*>(image.pixels.data()), CAIRO_FORMAT_ARGB32, image.width, image.height,
      image.width * static_cast<int>(sizeof(Color))));
  const CairoPtr<cairo_t> context(cairo_create(surface.get()));
  cairo_scale(context.get(), scale, scale);
  paint(figure, context.get(), fonts);
  cairo_surface_flush(surface.get());
  if (const cairo_status_t status = cairo_status(context.get()); status != CAIRO_STATUS_SUCCESS) {
    return failure(std::string("the picture could not be drawn: ") + cairo_status_to_string(status) +
                   "; choose a smaller scale");
  }
  for (Color& pixel : image.pixels) {
    std::uint32_t drawn = 0;
    std::memcpy(&drawn, &pixel, sizeof(drawn));
    pixel = straight(drawn);
  }
  return image;
}

bool can_write_pdf() {
  return true;
}

Result<std::string> pdf_bytes(std::span<const Figure> pages, FontFaces& fonts,
                              const std::vector<Metadata>& metadata, float points_per_unit) {
  std::string bytes;
  const CairoPtr<cairo_surface_t> surface(
      cairo_pdf_surface_create_for_stream(append_bytes, &bytes, pages.front().width, pages.front().height));
  // Later versions may compress the metadata, which other programs search in the bytes of a file; the scene
  // is attached and does not depend on it. But only they say what several glyphs together mean, so that
  // letters that change places are copied in their order.
  cairo_pdf_surface_restrict_to_version(
      surface.get(), has_text_of_runs(pages) ? CAIRO_PDF_VERSION_1_5 : CAIRO_PDF_VERSION_1_4);
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATOR, "headscope");
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_SUBJECT, as_lines(metadata).c_str());
  if (const Metadata* title = entry_of(metadata, title_key))
    cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, title->text.c_str());
  const Result<void> painted = paint_on(pages, surface.get(), fonts, points_per_unit);
  if (!painted) return tl::unexpected<Error>(painted.error());
  Result<std::string> file(std::move(bytes));
  for (const Metadata& entry : metadata) {
    if (!is_scene(entry)) continue;
    const std::string number = entry.key.substr(std::string_view(scene_key).size());
    const std::string name = number.empty() ? scene_attachment : "page" + number + ".headscope";
    file =
        file.and_then([&](const std::string& before) { return with_attachment(before, name, entry.text); });
  }
  return file;
}

}  // namespace headscope
