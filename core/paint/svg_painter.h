#pragma once

#include <string>
#include <string_view>

#include "core/paint/cairo_painter.h"

namespace headscope {

/// Escapes text for XML, both between tags and in attributes.
std::string xml_text(std::string_view text);

/// Formats a length for an SVG file.
std::string svg_number(double value);

/// A figure as SVG elements in figure units. Labels are <text> elements, so they can be searched, copied and
/// edited. Each names the fonts with which it was measured, followed by similar ones, and its length, so that
/// it takes the same space if none of the fonts are installed.
std::string svg_elements(const Figure& figure, const CairoFonts& fonts);

}  // namespace headscope
