#pragma once

#include <cstddef>

#include "app/ui/font_face.h"

namespace headscope {

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
