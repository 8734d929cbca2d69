#pragma once

#include <string>
#include <string_view>

#include "core/figure/cairo_painter.h"

namespace headscope {

/// Text as XML holds it, between tags and in attributes.
std::string xml_text(std::string_view text);

/// A length in an SVG.
std::string svg_number(double value);

/// A figure as the elements of an SVG whose unit is the figure's. Labels are <text>: they can be searched,
/// copied and edited. Each names the fonts that it was measured with and others like them, and its length, so
/// that it takes the same room where none of these is installed.
std::string svg_elements(const Figure& figure, const CairoFonts& fonts);

}  // namespace headscope
