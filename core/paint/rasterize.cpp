#include "core/paint/rasterize.h"

#include <cmath>

namespace headscope {

RasterSize raster_size(const Figure& figure, float scale) {
  // A product that is a whole number apart from rounding errors takes no additional pixel.
  constexpr float rounding = 0.01F;
  return {std::ceil(figure.width * scale - rounding), std::ceil(figure.height * scale - rounding)};
}

}  // namespace headscope
