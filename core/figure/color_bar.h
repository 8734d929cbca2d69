#pragma once

#include <span>
#include <string>

#include "core/figure/color_scale.h"
#include "core/figure/theme.h"

namespace headscope {

/// A vertical bar with the scale's colours, its true values at its right, and beside them the first of the
/// labels that the bar is long enough for.
void draw_color_bar(const ColorScale& scale, Box bar, std::span<const std::string> labels, float font_size,
                    const Theme& theme, const MeasureText& measure, Figure& figure);

/// The bar's colours alone: of a map whose covered numbers its ends would tell.
void draw_bar_colors(const ColorScale& scale, Box bar, Figure& figure);

/// The strokes over cells without a number.
Color hatch_color(const Theme& theme);

}  // namespace headscope
