#include "app/ui/glyph_ink.h"

#include <algorithm>

namespace headscope {
namespace {

/// The room beside the ink along each side: hinting moves outlines to whole pixels, and glyphs are a pixel
/// apart.
constexpr double beside = 4.0;

}  // namespace

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
