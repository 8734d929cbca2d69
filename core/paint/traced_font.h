#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// A letter as a bitmap of its coverage, 0 to 255, in row-major order. Sizes are in pixels.
struct GlyphBitmap {
  char32_t letter = 0;
  float advance = 0.0F;
  int width = 0, height = 0;
  int left = 0;      ///< From the pen position to the left edge.
  int baseline = 0;  ///< From the upper edge to the baseline, downwards.
  std::vector<std::uint8_t> coverage;
};

/// The bytes of a TrueType font (ISO/IEC 14496-22) whose outlines surround the pixels with at least half
/// coverage. The letters must be in ascending order. `em` is the height of the em in pixels.
std::string traced_font(std::span<const GlyphBitmap> letters, int em);

}  // namespace headscope
