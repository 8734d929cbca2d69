// Implements core/system and core/paint in a browser.
#include <emscripten.h>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/figure/paintable.h"
#include "core/paint/film_file.h"
#include "core/paint/pdf_attachment.h"
#include "core/paint/pdf_writer.h"
#include "core/paint/rasterize.h"
#include "core/paint/traced_font.h"
#include "core/system/atomic_file.h"
#include "core/system/process.h"
#include "core/system/signals.h"
#include "core/text/letters.h"
#include "core/text/utf8.h"

namespace headscope {

namespace fs = std::filesystem;

// The page's own files lie in /share, and the user's in /user.

std::vector<fs::path> bundled_model_folders() {
  return {"/share/models"};
}

std::vector<fs::path> downloaded_model_folders() {
  return {};
}

std::string environment_variable(const char* name) {
  return std::string_view(name) == "HOME" ? "/user" : "";
}

fs::path program_folder() {
  return "/share";
}

bool has_visible_folders() {
  return false;
}

void lower_thread_priority() {}

bool stderr_is_terminal() {
  return false;
}

int terminal_columns(int fallback) {
  return fallback;
}

// Nothing interrupts a page: it ends when it is closed.
SignalWatch::SignalWatch() = default;
SignalWatch::~SignalWatch() = default;

// clang-format off
// Draws letters with the browser's fonts, each in a square cell of two ems, two thirds of it above the baseline. A letter
// that the browser lacks looks like one that does not exist, and has the advance −1.
EM_JS(void, canvas_letters, (unsigned first, int count, int em, uint8_t* coverage, float* advances), {
  const side = 2 * em;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = side;
  const context = canvas.getContext("2d", {willReadFrequently: true});
  context.font = `${em}px sans-serif`;
  const draw = (letter) => {
    context.clearRect(0, 0, side, side);
    context.fillText(letter, em / 4, side * 2 / 3);
    return context.getImageData(0, 0, side, side).data;
  };
  const missing = [0x10FFFD, 0x378].map((letter) => draw(String.fromCodePoint(letter)).slice());
  for (let i = 0; i < count; ++i) {
    const letter = String.fromCodePoint(first + i);
    const pixels = draw(letter);
    const isMissing = missing.some((other) => other.every((value, at) => value === pixels[at]));
    HEAPF32[(advances >> 2) + i] = isMissing ? -1 : context.measureText(letter).width;
    for (let at = 0; at < side * side; ++at) HEAPU8[coverage + i * side * side + at] = pixels[4 * at + 3];
  }
});
// clang-format on

namespace {

/// Fonts with letters that the page lacks, as the browser draws them, in blocks of neighbours.
class DrawnFonts {
 public:
  /// The file of a font with the letter. Empty if the browser lacks it.
  std::optional<FontFile> with(char32_t letter) {
    const auto [known, is_new] = blocks_.try_emplace(letter / block, std::set<char32_t>());
    const FontFile file{"/share/fonts/drawn-" + std::to_string(letter / block)};
    if (is_new) known->second = draw(letter / block * block, file);
    return known->second.contains(letter) ? std::optional(file) : std::nullopt;
  }

 private:
  static constexpr char32_t block = 32;

  /// Writes the font, and returns its letters.
  static std::set<char32_t> draw(char32_t first, const FontFile& file) {
    constexpr int em = 64, side = 2 * em;
    std::vector<std::uint8_t> coverage(std::size_t{side} * side * block);
    std::vector<float> advances(block);
    canvas_letters(first, block, em, coverage.data(), advances.data());
    std::vector<GlyphBitmap> letters;
    std::set<char32_t> drawn;
    for (std::size_t i = 0; i < block; ++i) {
      if (advances[i] < 0.0F) continue;
      const auto begin = coverage.begin() + static_cast<std::ptrdiff_t>(i * side * side);
      letters.push_back({first + static_cast<char32_t>(i),
                         advances[i],
                         side,
                         side,
                         -em / 4,
                         side * 2 / 3,
                         {begin, begin + side * side}});
      drawn.insert(letters.back().letter);
    }
    if (!write_atomically(file.path, traced_font(letters, em))) drawn.clear();
    return drawn;
  }

  std::map<char32_t, std::set<char32_t>> blocks_;
};

}  // namespace

Result<FontFiles> find_font_files() {
  const FontFile sans{"/share/fonts/sans"}, bold{"/share/fonts/sans_bold"}, mono{"/share/fonts/mono"};
  const FontFile others{"/share/fonts/fallback"};
  auto last = FontFace::open(others);
  if (!last) return tl::unexpected(last.error());
  static DrawnFonts drawn;
  const auto fallback = [others, face = std::move(*last)](char32_t letter,
                                                          bool /*in_color*/) -> std::optional<FontFile> {
    return face.has(letter) ? std::optional(others) : drawn.with(letter);
  };
  return FontFiles{sans, bold, sans, bold, mono, fallback};
}

std::string font_hint(const std::set<char32_t>& missing, std::set<std::string_view>& reported) {
  const bool is_new = !missing.empty() && reported.insert("this page").second;
  return is_new ? "This browser has no font for some of these characters." : "";
}

// Figures are drawn by the browser's own canvas.

// clang-format off
EM_JS(int, canvas_begin, (int width, int height, double scale), {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = Module.painted = canvas.getContext("2d", {willReadFrequently: true});
  if (!context) return 0;
  context.scale(scale, scale);
  context.fontKerning = "none";
  context.textRendering = "optimizeSpeed";
  context.imageSmoothingEnabled = false;
  return 1;
});
EM_JS(void, canvas_end, (int width, int height, uint8_t* pixels), {
  HEAPU8.set(Module.painted.getImageData(0, 0, width, height).data, pixels);
  Module.painted = null;
});
EM_JS(void, canvas_color, (int r, int g, int b, int a), {
  Module.painted.fillStyle = Module.painted.strokeStyle = `rgba(${r},${g},${b},${a / 255})`;
});
EM_JS(void, canvas_box, (double x, double y, double w, double h, double r, double thickness), {
  const context = Module.painted;
  context.beginPath();
  if (r > 0) context.roundRect(x, y, w, h, r);
  else context.rect(x, y, w, h);
  if (thickness > 0) {
    context.lineWidth = thickness;
    context.stroke();
  } else {
    context.fill();
  }
});
EM_JS(void, canvas_curve, (double x, double y, double x1, double y1, double x2, double y2, double x3, double y3,
                           double thickness), {
  const context = Module.painted;
  context.beginPath();
  context.moveTo(x, y);
  context.bezierCurveTo(x1, y1, x2, y2, x3, y3);
  context.lineWidth = thickness;
  context.stroke();
});
// The width of a text in ems, with the fonts of canvas_text().
EM_JS(double, canvas_width, (const char* text, int font), {
  Module.measured ||= document.createElement("canvas").getContext("2d");
  Module.measured.font = `100px headscope${font}, headscope3, sans-serif`;
  return Module.measured.measureText(UTF8ToString(text)).width / 100;
});
EM_JS(void, canvas_text, (const char* text, double x, double y, double degrees, double left, double baseline,
                          double size, int font, bool shaped, bool backward), {
  const context = Module.painted;
  context.save();
  if (shaped) {
    context.fontKerning = context.textRendering = "auto";
    context.direction = backward ? "rtl" : "ltr";
    context.textAlign = "left";
  }
  context.translate(x, y);
  context.rotate(-degrees * Math.PI / 180);
  context.font = `${size}px headscope${font}, headscope3, sans-serif`;
  context.fillText(UTF8ToString(text), left, baseline);
  context.restore();
});
EM_JS(void, canvas_image, (const uint8_t* pixels, int width, int height, double x, double y, double w, double h), {
  const image = document.createElement("canvas");
  image.width = width;
  image.height = height;
  const data = new ImageData(new Uint8ClampedArray(HEAPU8.subarray(pixels, pixels + 4 * width * height).slice()), width, height);
  image.getContext("2d").putImageData(data, 0, 0);
  Module.painted.drawImage(image, x, y, w, h);
});
EM_JS(void, canvas_ribbon, (double x0, double y0, double h0, double x1, double y1, double h1), {
  const middle = (x0 + x1) / 2;
  Module.painted.beginPath();
  Module.painted.moveTo(x0, y0);
  Module.painted.bezierCurveTo(middle, y0, middle, y1, x1, y1);
  Module.painted.lineTo(x1, y1 + h1);
  Module.painted.bezierCurveTo(middle, y1 + h1, middle, y0 + h0, x0, y0 + h0);
  Module.painted.closePath();
  Module.painted.fill();
});
EM_JS(void, canvas_clip, (double x, double y, double w, double h), {
  Module.painted.save();
  Module.painted.beginPath();
  Module.painted.rect(x, y, w, h);
  Module.painted.clip();
});
EM_JS(void, canvas_unclip, (), { Module.painted.restore(); });
// clang-format on

namespace {

class CanvasPainter {
 public:
  explicit CanvasPainter(FontFaces& fonts) : fonts_(fonts) {}

  void operator()(const FilledRect& item) { box(item.box, item.color, item.rounding, 0.0F); }
  void operator()(const StrokedRect& item) { box(item.box, item.color, item.rounding, item.thickness); }
  void operator()(const Line& item) {
    (*this)(Curve{item.from, item.from, item.to, item.to, item.color, item.thickness});
  }
  void operator()(const Curve& item) {
    color(item.color);
    canvas_curve(item.from.x, item.from.y, item.control_1.x, item.control_1.y, item.control_2.x,
                 item.control_2.y, item.to.x, item.to.y, item.thickness);
  }
  void operator()(const Ribbon& item) {
    color(item.color);
    canvas_ribbon(item.from.x, item.from.y, item.from_height, item.to.x, item.to.y, item.to_height);
  }
  void operator()(const Label& item) {
    const LineSize line = fonts_.line_size(item.text, item.font, item.size);
    double left = line.left(item.horizontal);
    color(item.color);
    const auto draw = [&](const std::string& text, Font font, bool is_shaped) {
      canvas_text(text.c_str(), item.at.x, item.at.y, item.degrees, left, line.baseline(item.vertical),
                  item.size, static_cast<int>(font), is_shaped, is_shaped && is_right_to_left(text));
    };
    if (needs_shaping(item.text)) return draw(with_isolated_quotes(valid_utf8(item.text)), item.font, true);
    // Each letter comes from the font with which it was measured.
    for (const char32_t letter : code_points(valid_utf8(item.text))) {
      const std::string text = to_utf8(letter);
      draw(text, typeface_of(item.font, letter), false);
      left += fonts_.line_size(text, item.font, item.size).width;
    }
  }
  void operator()(const Raster& item) {
    canvas_image(reinterpret_cast<const std::uint8_t*>(item.image->pixels.data()), item.image->width,
                 item.image->height, item.box.x, item.box.y, item.box.w, item.box.h);
  }
  void operator()(const Hatch& item) {
    canvas_clip(item.box.x, item.box.y, item.box.w, item.box.h);
    // Strokes lie where x + y is a multiple of the spacing, as in the other painters.
    const float spacing = item.spacing * std::sqrt(2.0F);
    const float last = item.box.right() + item.box.bottom();
    for (float sum = std::ceil((item.box.x + item.box.y) / spacing) * spacing; sum <= last; sum += spacing)
      (*this)(Line{
          {sum - item.box.bottom(), item.box.bottom()}, {sum - item.box.y, item.box.y}, item.color, 1.0F});
    canvas_unclip();
  }
  void operator()(const ClipBegin& item) {
    ++open_clips_;
    canvas_clip(item.box.x, item.box.y, item.box.w, item.box.h);
  }
  void operator()(const ClipEnd& /*item*/) {
    if (open_clips_ == 0) return;
    --open_clips_;
    canvas_unclip();
  }

 private:
  static void color(Color c) { canvas_color(c.r, c.g, c.b, c.a); }
  static void box(const Box& box, Color c, float rounding, float thickness) {
    color(c);
    canvas_box(box.x, box.y, box.w, box.h, rounding, thickness);
  }

  FontFaces& fonts_;
  int open_clips_ = 0;
};

}  // namespace

double width_when_shaped(std::string_view text, Font font, FontFaces& faces) {
  // Finds the letters that no font has.
  static_cast<void>(faces.runs_of(text, font));
  return canvas_width(valid_utf8(text).c_str(), static_cast<int>(font));
}

Result<Image> rasterized(const Figure& figure, float scale, FontFaces& fonts) {
  const auto [width, height] = raster_size(figure, scale);
  constexpr float max_pixels = 64e6F;
  constexpr float greatest_side = 16384.0F;
  if (!(width >= 1.0F) || !(height >= 1.0F)) return usage_error("a picture needs a size and a scale above 0");
  if (width * height > max_pixels || width > greatest_side || height > greatest_side)
    return usage_error("the picture is too large for a browser: choose a smaller scale");
  Image image{static_cast<int>(width), static_cast<int>(height), {}};
  image.pixels.resize(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
  if (canvas_begin(image.width, image.height, scale) == 0)
    return failure("this browser has no room for the picture: choose a smaller scale");
  CanvasPainter painter(fonts);
  paint_items(figure, painter);
  canvas_end(image.width, image.height, reinterpret_cast<std::uint8_t*>(image.pixels.data()));
  return image;
}

bool can_write_pdf() {
  return false;
}

bool can_write_films() {
  return false;
}

Result<std::unique_ptr<FilmEncoder>> film_encoder(FilmType, int, int) {
  return failure("a page in a browser cannot write films: use the desktop program");
}

Result<std::string> pdf_bytes(std::span<const Figure>, FontFaces&, const std::vector<Metadata>&, float) {
  return failure("a browser writes no PDF: choose SVG or PNG, or print this page");
}

std::optional<std::string> attachment_in(std::string_view, const std::string&, std::size_t) {
  return std::nullopt;
}

}  // namespace headscope
