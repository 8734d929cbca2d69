#pragma once

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

}  // namespace headscope
