#include "core/paint/png_file.h"

#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstdlib>

#include "core/budget.h"
#include "core/system/atomic_file.h"
#include "core/text/visible.h"

namespace headscope {
namespace {

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

namespace {

/// A small file may contain large compressed texts, so their size and number are limited.
constexpr png_uint_32 max_texts = 16;
/// What libpng may allocate for a file: a text is copied twice while it is expanded.
constexpr std::size_t max_png_bytes = 6 * max_embedded_text_bytes;

[[noreturn]] void leave(png_structp png, png_const_charp /*why*/) {
  png_longjmp(png, 1);
}

void ignore(png_structp /*png*/, png_const_charp /*warning*/) {}

/// libpng allocates the memory for a chunk before it checks that the file is as long as the chunk claims, and
/// a small file may expand to many large texts. An exception must not pass through libpng.
png_voidp take_memory(png_structp png, png_alloc_size_t size) try {
  static_cast<Budget*>(png_get_mem_ptr(png))->take(size);
  return std::malloc(size);
} catch (const OverBudget&) {
  return nullptr;
}

void give_memory_back(png_structp /*png*/, png_voidp memory) {
  std::free(memory);
}

struct PngReader {
  png_structp png = nullptr;
  png_infop info = nullptr;
  Budget budget{0, max_png_bytes};

  PngReader() {
    png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, nullptr, leave, ignore, &budget, take_memory,
                                   give_memory_back);
    if (png != nullptr) info = png_create_info_struct(png);
  }
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
};

/// Takes the next bytes of the file from the beginning of a view.
void take_bytes(png_structp png, png_bytep to, png_size_t size) {
  auto& rest = *static_cast<std::string_view*>(png_get_io_ptr(png));
  if (size > rest.size()) png_error(png, "the file ends early");
  std::copy_n(rest.begin(), size, reinterpret_cast<char*>(to));
  rest.remove_prefix(size);
}

/// libpng reports errors by longjmp, so no object here may have a destructor.
bool read_head(const PngReader& reader, std::string_view& rest) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_set_read_fn(reader.png, &rest, take_bytes);
  png_set_chunk_malloc_max(reader.png, max_embedded_text_bytes);
  png_set_chunk_cache_max(reader.png, max_texts);
  png_read_info(reader.png, reader.info);
  return true;
}

}  // namespace

std::vector<Metadata> texts_in_png(std::string_view bytes) {
  std::vector<Metadata> metadata;
  const PngReader reader;
  if (reader.info == nullptr || !read_head(reader, bytes)) return metadata;
  png_textp texts = nullptr;
  int n_texts = 0;
  png_get_text(reader.png, reader.info, &texts, &n_texts);
  for (int i = 0; i < n_texts; ++i) metadata.push_back({texts[i].key, texts[i].text});
  return metadata;
}

}  // namespace headscope
