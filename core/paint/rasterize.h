#pragma once

#include <cmath>
#include <string_view>
#include <utility>

#include "core/paint/font_faces.h"

namespace headscope {

/// The width and the height of a figure in pixels.
inline std::pair<float, float> raster_size(const Figure& figure, float scale) {
  // A product that is a whole number apart from rounding errors takes no additional pixel.
  constexpr float rounding = 0.01F;
  return {std::ceil(figure.width * scale - rounding), std::ceil(figure.height * scale - rounding)};
}

/// The pixels of a figure, with `scale` pixels per figure unit.
Result<Image> rasterized(const Figure& figure, float scale, FontFaces& fonts);

/// The width of a text that needs_shaping(), in ems, as rasterized() draws it.
double width_when_shaped(std::string_view text, Font font, FontFaces& faces);

}  // namespace headscope
