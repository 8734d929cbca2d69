#include "app/ui/font_face.h"

#include <ft2build.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include FT_FREETYPE_H
#include FT_ADVANCES_H

namespace headscope {
namespace {

/// The room beside the ink along each side: hinting moves outlines to whole pixels, and glyphs are a pixel
/// apart.
constexpr double beside = 4.0;

}  // namespace

struct FontFace::Handle {
  std::vector<std::uint8_t> bytes;
  FT_Library library = nullptr;
  FT_Face face = nullptr;
  int index = 0;

  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (face != nullptr) FT_Done_Face(face);
    if (library != nullptr) FT_Done_FreeType(library);
  }

  float em_part(FT_Pos units) const {
    return static_cast<float>(units) / static_cast<float>(face->units_per_EM);
  }
};

Result<FontFace> FontFace::open(const FontFile& font) {
  const std::filesystem::path& path = font.path;
  auto handle = std::make_unique<Handle>();
  handle->index = font.index;
  std::error_code error;
  const std::uintmax_t length = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) return failure("the font " + path.string() + " could not be read");
  handle->bytes.resize(length);
  file.read(reinterpret_cast<char*>(handle->bytes.data()), static_cast<std::streamsize>(length));
  if (FT_Init_FreeType(&handle->library) != 0) return failure("FreeType could not be started");
  const auto size = static_cast<FT_Long>(handle->bytes.size());
  if (FT_New_Memory_Face(handle->library, handle->bytes.data(), size, font.index, &handle->face) != 0 ||
      handle->face->units_per_EM == 0) {
    return failure("the font " + path.string() + " cannot be read by FreeType: reinstall its package");
  }
  return FontFace(std::move(handle));
}

FontFace::FontFace(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
FontFace::FontFace(FontFace&&) noexcept = default;
FontFace& FontFace::operator=(FontFace&&) noexcept = default;
FontFace::~FontFace() = default;

bool FontFace::has(char32_t character) const {
  return FT_Get_Char_Index(handle_->face, character) != 0;
}

float FontFace::advance(char32_t character) const {
  const FT_UInt glyph = FT_Get_Char_Index(handle_->face, character);
  FT_Fixed advance = 0;
  if (glyph == 0 || FT_Get_Advance(handle_->face, glyph, FT_LOAD_NO_SCALE, &advance) != 0) return 0.0F;
  return handle_->em_part(advance);
}

GlyphSize FontFace::glyph_size(char32_t character) const {
  const FT_UInt glyph = FT_Get_Char_Index(handle_->face, character);
  if (glyph == 0 || FT_Load_Glyph(handle_->face, glyph, FT_LOAD_NO_SCALE) != 0) return {};
  const FT_Glyph_Metrics& metrics = handle_->face->glyph->metrics;
  return {handle_->em_part(metrics.width), handle_->em_part(metrics.height)};
}

float FontFace::ascent() const {
  return handle_->em_part(handle_->face->ascender);
}

float FontFace::descent() const {
  return -handle_->em_part(handle_->face->descender);
}

std::vector<std::uint8_t>& FontFace::bytes() {
  return handle_->bytes;
}

int FontFace::index() const {
  return handle_->index;
}

void GlyphInk::add(const GlyphSize& glyph) {
  const auto width = static_cast<double>(glyph.width);
  const auto height = static_cast<double>(glyph.height);
  ++count_;
  area_ += width * height;
  sides_ += width + height;
  largest_area_ = std::max(largest_area_, width * height);
  largest_sides_ = std::max(largest_sides_, width + height);
}

double GlyphInk::pixels(int em) const {
  return area_ * em * em + beside * sides_ * em + beside * beside * static_cast<double>(count_);
}

double GlyphInk::largest_pixels(int em) const {
  return largest_area_ * em * em + beside * largest_sides_ * em + beside * beside;
}

}  // namespace headscope
