#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/figure/cairo_painter.h"
#include "core/figure/metadata.h"

namespace headscope {

/// The bytes of an SVG or PDF file with the figure; a figure unit is a pixel of SVG and a point of PDF. The
/// metadata goes into SVG's <desc> and the subject of a PDF, one line per entry.
Result<std::string> svg_bytes(const Figure& figure, const CairoFonts& fonts,
                              const std::vector<Metadata>& metadata);
Result<std::string> pdf_bytes(const Figure& figure, const CairoFonts& fonts,
                              const std::vector<Metadata>& metadata);

Result<void> write_svg(const Figure& figure, const std::filesystem::path& path, const CairoFonts& fonts,
                       const std::vector<Metadata>& metadata);
Result<void> write_pdf(const Figure& figure, const std::filesystem::path& path, const CairoFonts& fonts,
                       const std::vector<Metadata>& metadata);

}  // namespace headscope
