#pragma once

#include <string_view>

#include "core/paint/font_faces.h"

namespace headscope {

/// The width of a text that needs_shaping(), in ems, as rasterized() draws it.
double width_when_shaped(std::string_view text, Font font, FontFaces& faces);

}  // namespace headscope
