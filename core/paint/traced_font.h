#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// A letter as a picture of its coverage, 0 to 255, row by row. Sizes are in pixels of the picture.
struct PicturedLetter {
  char32_t letter = 0;
  float advance = 0.0F;  ///< From the pen position before the letter to the one after it.
  int width = 0, height = 0;
  int left = 0;      ///< From the pen position to the left edge.
  int baseline = 0;  ///< From the upper edge to the baseline, downwards.
  std::vector<std::uint8_t> coverage;
};

/// The bytes of a TrueType font (ISO/IEC 14496-22) whose outlines surround the pixels that are covered by at
/// least half. The letters must be in ascending order. \param em The height of the em in pixels of the
/// pictures.
std::string traced_font(std::span<const PicturedLetter> letters, int em);

}  // namespace headscope
