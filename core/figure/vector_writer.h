#pragma once

#include <filesystem>
#include <span>
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
/// The same with a page for each figure, of its size; there must be one.
Result<std::string> pdf_bytes(std::span<const Figure> pages, const CairoFonts& fonts,
                              const std::vector<Metadata>& metadata);

Result<void> write_svg(const Figure& figure, const std::filesystem::path& path, const CairoFonts& fonts,
                       const std::vector<Metadata>& metadata);
Result<void> write_pdf(const Figure& figure, const std::filesystem::path& path, const CairoFonts& fonts,
                       const std::vector<Metadata>& metadata);
Result<void> write_pdf(std::span<const Figure> pages, const std::filesystem::path& path,
                       const CairoFonts& fonts, const std::vector<Metadata>& metadata);

}  // namespace headscope
