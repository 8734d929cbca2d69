#pragma once

#include <imgui.h>

#include <string>

namespace headscope {

/// Checks every vertex, index and clip rectangle of the last frame. Returns the first fault, such as a
/// coordinate that is not finite or exceeds `max_coordinate` pixels, or an index without a vertex. Empty if
/// there is none.
std::string draw_data_fault(float max_coordinate = 1e6F);

/// The longer side of the largest glyph that was baked for a font, in pixels.
float largest_glyph(const ImFont& font);

/// The height of the font atlas in pixels.
int atlas_height();

}  // namespace headscope
