#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/figure/font_files.h"
#include "core/result.h"

namespace headscope {

struct GlyphSize {
  float width = 0.0F, height = 0.0F;
};

/// A font file opened with FreeType: which characters it has, and its measures for an em of 1.
class FontFace {
 public:
  static Result<FontFace> open(const FontFile& file);
  FontFace(FontFace&&) noexcept;
  FontFace& operator=(FontFace&&) noexcept;
  ~FontFace();

  bool has(char32_t character) const;
  /// From the pen's place before the character to after it, unhinted; 0 for one that is not there.
  float advance(char32_t character) const;
  /// Of what is inked: a bitmap of the character is about that large. 0 where there is nothing.
  GlyphSize glyph_size(char32_t character) const;
  float ascent() const;
  float descent() const;  ///< below the baseline, positive
  /// The file's bytes and which typeface of them it is, for ImGui.
  std::vector<std::uint8_t>& bytes();
  int index() const;

 private:
  struct Handle;
  explicit FontFace(std::unique_ptr<Handle> handle);
  std::unique_ptr<Handle> handle_;
};

}  // namespace headscope
