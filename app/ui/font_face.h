#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/paint/font_files.h"
#include "core/result.h"

namespace headscope {

struct GlyphSize {
  float width = 0.0F, height = 0.0F;
};

/// A font file opened with FreeType. It knows its characters and their measures for an em of 1.
class FontFace {
 public:
  static Result<FontFace> open(const FontFile& file);
  FontFace(FontFace&&) noexcept;
  FontFace& operator=(FontFace&&) noexcept;
  ~FontFace();

  bool has(char32_t character) const;
  /// The distance from the pen position before the character to the one after it, unhinted. 0 if the font
  /// lacks the character.
  float advance(char32_t character) const;
  /// The size of the inked area, which is about that of a bitmap of the character. 0 if nothing is inked.
  GlyphSize glyph_size(char32_t character) const;
  float ascent() const;
  float descent() const;  ///< below the baseline, positive
  /// The file's bytes and the index of the typeface in them, for ImGui.
  std::vector<std::uint8_t>& bytes();
  int index() const;

 private:
  struct Handle;
  explicit FontFace(std::unique_ptr<Handle> handle);
  std::unique_ptr<Handle> handle_;
};

/// Estimates how many pixels the glyphs of a typeface will take when they are baked.
class GlyphInk {
 public:
  void add(const GlyphSize& glyph);
  /// The pixels of all glyphs together, and the most that one glyph takes, for an em of `em` pixels.
  double pixels(int em) const;
  double largest_pixels(int em) const;

 private:
  std::size_t count_ = 0;
  // Sums and maxima for an em of 1. A glyph's sides are its width plus its height.
  double area_ = 0.0, sides_ = 0.0;
  double largest_area_ = 0.0, largest_sides_ = 0.0;
};

}  // namespace headscope
