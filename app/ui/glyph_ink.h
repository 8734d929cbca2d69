#pragma once

#include <cstddef>

#include "app/ui/font_face.h"

namespace headscope {

/// How many pixels the glyphs of a typeface take when they are baked, before they are.
class GlyphInk {
 public:
  void add(const GlyphSize& glyph);
  /// At an em of so many pixels: all glyphs, and at most one.
  double pixels(int em) const;
  double largest_pixels(int em) const;

 private:
  std::size_t count_ = 0;
  // Sums and maxima for an em of 1; "sides" are width and height.
  double area_ = 0.0, sides_ = 0.0;
  double largest_area_ = 0.0, largest_sides_ = 0.0;
};

}  // namespace headscope
