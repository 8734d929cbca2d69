#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/paint/font_faces.h"
#include "core/paint/metadata.h"

namespace headscope {

/// Escapes text for XML, both between tags and in attributes.
std::string xml_text(std::string_view text);

/// Formats a length for an SVG file.
std::string svg_number(double value);

/// A figure as SVG elements in figure units. Labels are <text> elements, which can be searched, copied and
/// edited. Each names its fonts, similar ones, and its length, so that it takes the same space without the
/// fonts.
std::string svg_elements(const Figure& figure, FontFaces& fonts);

/// The bytes of an SVG file with the figure. `unit_size` is the length of a figure unit in the CSS unit
/// `unit_name`, which is empty for pixels. The metadata becomes its <desc>, one line per entry; a scene
/// becomes its <metadata>.
Result<std::string> svg_bytes(const Figure& figure, FontFaces& fonts, const std::vector<Metadata>& metadata,
                              float unit_size = 1.0F, const char* unit_name = "");

}  // namespace headscope
