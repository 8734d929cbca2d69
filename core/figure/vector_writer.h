#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/figure/cairo_painter.h"
#include "core/figure/metadata.h"

namespace headscope {

/// How large a figure unit is in a file: so many of the unit of an SVG's width and height, or points of a
/// PDF.
struct VectorUnit {
  float size = 1.0F;
  const char* of_svg = "";  ///< as CSS has it; empty: a pixel
};

/// The bytes of an SVG or PDF file with the figure. The metadata goes into SVG's <desc> and the subject of a
/// PDF, one line per entry.
Result<std::string> svg_bytes(const Figure& figure, const CairoFonts& fonts,
                              const std::vector<Metadata>& metadata, VectorUnit unit = {});
Result<std::string> pdf_bytes(const Figure& figure, const CairoFonts& fonts,
                              const std::vector<Metadata>& metadata, VectorUnit unit = {});
/// The same with a page for each figure, of its size; there must be one.
Result<std::string> pdf_bytes(std::span<const Figure> pages, const CairoFonts& fonts,
                              const std::vector<Metadata>& metadata, VectorUnit unit = {});

Result<void> write_svg(const Figure& figure, const std::filesystem::path& path, const CairoFonts& fonts,
                       const std::vector<Metadata>& metadata, VectorUnit unit = {});
Result<void> write_pdf(const Figure& figure, const std::filesystem::path& path, const CairoFonts& fonts,
                       const std::vector<Metadata>& metadata, VectorUnit unit = {});
Result<void> write_pdf(std::span<const Figure> pages, const std::filesystem::path& path,
                       const CairoFonts& fonts, const std::vector<Metadata>& metadata);

}  // namespace headscope
