#pragma once

#include <imgui.h>

#include <string>

namespace headscope {

/// Checks every vertex, index and clip rectangle of the last frame. Reports coordinates that are not finite
/// or farther away than `farthest` pixels, and indices without a vertex. Empty if there is no fault.
std::string fault_in_draw_data(float farthest = 1e6F);

/// The longer side of the largest glyph that was baked for a font, in pixels.
float largest_glyph(const ImFont& font);

/// The height of the font atlas in pixels.
int atlas_height();

}  // namespace headscope
