#pragma once

#include "core/paint/font_faces.h"

namespace headscope {

/// The size of a figure in pixels.
struct RasterSize {
  float width = 0.0F, height = 0.0F;
};
RasterSize raster_size(const Figure& figure, float scale);

/// The pixels of a figure, with `scale` pixels per figure unit.
Result<Image> rasterized(const Figure& figure, float scale, FontFaces& fonts);

}  // namespace headscope
