#pragma once

#include <imgui.h>

#include <string>

namespace headscope {

/// Looks at every vertex, index and clip rectangle of what the last frame draws: what is not finite or
/// farther away than `farthest` pixels, or an index to no vertex. Empty where all is well.
std::string fault_in_draw_data(float farthest = 1e6F);

/// The longer side of the largest glyph that was baked of a font, in pixels.
float largest_glyph(const ImFont& font);

/// The height of the texture that letters are drawn from, in pixels.
int atlas_height();

}  // namespace headscope
