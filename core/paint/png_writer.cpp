#include "core/paint/png_writer.h"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstring>

#include "core/io/atomic_file.h"
#include "core/paint/cairo_fonts.h"
#include "core/text/number_text.h"
#include "core/text/visible.h"

namespace headscope {
namespace {

/// Cairo's limit on the side of an image.
constexpr float greatest_side = 32767.0F;
constexpr float most_drawn_pixels = 150e6F;  ///< 600 MB of memory.

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

struct PngWriter {
  png_structp png = nullptr;
  png_infop info = nullptr;

  PngWriter() {
    const auto leave = [](png_structp writer, png_const_charp /*why*/) { png_longjmp(writer, 1); };
    const auto ignore = [](png_structp /*writer*/, png_const_charp /*warning*/) {};
    png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, leave, ignore);
    if (png != nullptr) info = png_create_info_struct(png);
  }
  ~PngWriter() { png_destroy_write_struct(&png, &info); }
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;
};

void append_bytes(png_structp png, png_bytep data, png_size_t size) {
  // An exception must not pass through the frames of libpng.
  bool is_kept = true;
  try {
    static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(data), size);
  } catch (...) {
    is_kept = false;
  }
  if (!is_kept) png_error(png, "not enough memory");
}

void flush_nothing(png_structp /*png*/) {}

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80U; });
}

/// Uses tEXt for ASCII, zTXt where it is long, and iTXt (UTF-8) for everything else. The entries point into
/// `metadata`.
std::vector<png_text> text_chunks(const std::vector<Metadata>& metadata) {
  std::vector<png_text> chunks;
  for (const Metadata& entry : metadata) {
    png_text chunk{};
    constexpr std::size_t is_long = 1000;
    chunk.compression = !is_ascii(entry.text)         ? PNG_ITXT_COMPRESSION_NONE
                        : entry.text.size() > is_long ? PNG_TEXT_COMPRESSION_zTXt
                                                      : PNG_TEXT_COMPRESSION_NONE;
    chunk.key = const_cast<char*>(entry.key.c_str());
    chunk.text = const_cast<char*>(entry.text.c_str());
    (is_ascii(entry.text) ? chunk.text_length : chunk.itxt_length) = entry.text.size();
    chunks.push_back(chunk);
  }
  return chunks;
}

/// libpng reports errors by longjmp, so no object here may have a destructor.
bool encode(const PngWriter& writer, const Image& image, const std::vector<png_text>& chunks,
            std::vector<png_bytep>& rows, bool is_opaque, std::string& bytes) {
  if (setjmp(png_jmpbuf(writer.png)) != 0) return false;
  png_set_write_fn(writer.png, &bytes, append_bytes, flush_nothing);
  png_set_IHDR(writer.png, writer.info, static_cast<png_uint_32>(image.width),
               static_cast<png_uint_32>(image.height), 8,
               is_opaque ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGBA, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  // The rows of a figure resemble those above them. In a large figure, speed is worth more than a few per
  // cent of the file size.
  constexpr std::size_t large = 8'000'000;  // In pixels.
  png_set_filter(writer.png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP);
  png_set_compression_level(writer.png, image.pixels.size() > large ? 1 : 6);
  png_set_text(writer.png, writer.info, chunks.data(), static_cast<int>(chunks.size()));
  png_set_rows(writer.png, writer.info, rows.data());
  png_write_png(writer.png, writer.info,
                is_opaque ? PNG_TRANSFORM_STRIP_FILLER_AFTER : PNG_TRANSFORM_IDENTITY, nullptr);
  return true;
}

}  // namespace

PngSides png_sides(const Figure& figure, float scale) {
  // A product that is a whole number apart from rounding errors takes no additional pixel.
  constexpr float rounding = 0.01F;
  return {std::ceil(figure.width * scale - rounding), std::ceil(figure.height * scale - rounding)};
}

Result<Image> rasterized(const Figure& figure, float scale, const CairoFonts& fonts) {
  const auto [width, height] = png_sides(figure, scale);
  if (!(scale > 0.0F) || !(width >= 1.0F) || !(height >= 1.0F)) {
    return usage_error("a picture needs a size and a scale above 0");
  }
  if (width > greatest_side || height > greatest_side) {
    return usage_error("the picture would exceed 32767 pixels on a side: choose a smaller scale");
  }
  if (width * height > most_drawn_pixels) {
    return usage_error("the picture would have " + grouped(std::llround(width * height)) +
                       " pixels, more than " + grouped(std::llround(most_drawn_pixels)) +
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

Result<std::string> png_bytes(const Image& image, const std::vector<Metadata>& metadata) {
  if (image.width <= 0 || image.height <= 0) return usage_error("an empty picture cannot be saved as PNG");
  for (const Metadata& entry : metadata) {
    if (entry.key.empty() || entry.key.size() > 79 || !is_ascii(entry.key)) {
      return usage_error("the key of a PNG text entry must have 1 to 79 ASCII characters: \"" + entry.key +
                         "\"");
    }
  }
  const PngWriter writer;
  if (writer.info == nullptr) return failure("not enough memory to write a PNG file");
  static_assert(sizeof(Color) == 4, "a Color is one RGBA pixel of a PNG file");
  std::vector<png_bytep> rows;
  for (int y = 0; y < image.height; ++y) {
    const Color* row = image.pixels.data() + static_cast<std::ptrdiff_t>(y) * image.width;
    rows.push_back(const_cast<png_bytep>(reinterpret_cast<const unsigned char*>(row)));
  }
  std::vector<Metadata> visible = metadata;
  for (Metadata& entry : visible) entry.text = visible_controls(entry.text);
  const std::vector<png_text> chunks = text_chunks(visible);
  std::string bytes;
  constexpr std::uint8_t opaque = 255;
  const bool is_opaque = std::ranges::all_of(image.pixels, [](Color pixel) { return pixel.a == opaque; });
  if (!encode(writer, image, chunks, rows, is_opaque, bytes))
    return failure("the PNG file could not be encoded");
  return bytes;
}

Result<void> write_png(const Image& image, const std::filesystem::path& path,
                       const std::vector<Metadata>& metadata) {
  const Result<std::string> bytes = png_bytes(image, metadata);
  if (!bytes) return tl::unexpected<Error>(bytes.error());
  return write_atomically(path, *bytes);
}

Result<void> write_png(const Figure& figure, float scale, const std::filesystem::path& path,
                       const CairoFonts& fonts, const std::vector<Metadata>& metadata) {
  const Result<Image> image = rasterized(figure, scale, fonts);
  if (!image) return tl::unexpected<Error>(image.error());
  return write_png(*image, path, metadata);
}

}  // namespace headscope
