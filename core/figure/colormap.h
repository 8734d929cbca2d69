#pragma once

#include <array>
#include <string_view>

#include "core/figure/figure.h"
#include "core/trace/picture_options.h"

namespace headscope {

/// 256 colours, from the lowest value to the highest.
using ColorMap = std::array<Color, 256>;

/// Headscope's own maps have other colours on a dark ground, so that "nothing" recedes into it; the
/// published maps are the same in both themes.
const ColorMap& color_map(SequentialMap map, ThemeName theme);
const ColorMap& color_map(DivergingMap map, ThemeName theme);

/// The colour at `share` of the way; shares outside 0..1 are clamped.
Color sample(const ColorMap& map, float share);

/// "viridis", "blue-orange": for menus, labels and the command line.
std::string_view name_of(SequentialMap map);
std::string_view name_of(DivergingMap map);

/// L* of CIELAB, 0 (black) to 100 (white), D65.
float lightness(Color color);

/// Linear mixture in sRGB: `share` 0 gives `from`, 1 gives `to`.
Color mixed(Color from, Color to, float share);

/// `color` with its opacity replaced; 0..1.
Color with_opacity(Color color, float opacity);

/// Dark or light text, whichever is easier to read on `ground`.
Color readable_on(Color ground);

}  // namespace headscope
