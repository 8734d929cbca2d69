#pragma once

#include <span>
#include <string>

#include "core/figure/color_scale.h"
#include "core/figure/theme.h"

namespace headscope {

/// Draws a vertical bar with the colours of a scale and their true values on its right. Beside the values
/// stands the first of the labels that fits along the bar.
void draw_color_bar(const ColorScale& scale, Box bar, std::span<const std::string> labels, float font_size,
                    const Theme& theme, const MeasureText& measure, Figure& figure);

/// Draws only the colours of the bar. Used for maps whose covered numbers would be revealed by the values at
/// its ends.
void draw_bar_colors(const ColorScale& scale, Box bar, Figure& figure);

/// The colour of the strokes over cells without a number.
Color hatch_color(const Theme& theme);

}  // namespace headscope
