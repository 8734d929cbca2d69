#pragma once

#include <filesystem>
#include <string>

#include "core/figure/cairo_painter.h"

namespace headscope {

/// The bytes of an SVG or PDF file with the figure; one figure unit is one point.
Result<std::string> svg_bytes(const Figure& figure, const CairoFonts& fonts);
Result<std::string> pdf_bytes(const Figure& figure, const CairoFonts& fonts);

Result<void> write_svg(const Figure& figure, const std::filesystem::path& path, const CairoFonts& fonts);
Result<void> write_pdf(const Figure& figure, const std::filesystem::path& path, const CairoFonts& fonts);

}  // namespace headscope
