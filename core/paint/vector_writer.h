#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/paint/cairo_painter.h"
#include "core/paint/metadata.h"

namespace headscope {

/// The size of a figure unit in a file, in the unit of an SVG's width and height or in the points of a PDF.
struct VectorUnit {
  float size = 1.0F;
  const char* of_svg = "";  ///< A CSS unit. Empty for pixels.
};

/// The bytes of an SVG or PDF file with the figure. The metadata becomes the <desc> of an SVG and the subject
/// of a PDF, with one line per entry; a scene becomes the <metadata> of an SVG and a file attached to a PDF,
/// which also has a title of its own.
Result<std::string> svg_bytes(const Figure& figure, const CairoFonts& fonts,
                              const std::vector<Metadata>& metadata, VectorUnit unit = {});
Result<std::string> pdf_bytes(const Figure& figure, const CairoFonts& fonts,
                              const std::vector<Metadata>& metadata, VectorUnit unit = {});
/// The same with one page for each figure, in its size. There must be at least one figure.
Result<std::string> pdf_bytes(std::span<const Figure> pages, const CairoFonts& fonts,
                              const std::vector<Metadata>& metadata, VectorUnit unit = {});

Result<void> write_svg(const Figure& figure, const std::filesystem::path& path, const CairoFonts& fonts,
                       const std::vector<Metadata>& metadata, VectorUnit unit = {});
Result<void> write_pdf(const Figure& figure, const std::filesystem::path& path, const CairoFonts& fonts,
                       const std::vector<Metadata>& metadata, VectorUnit unit = {});
Result<void> write_pdf(std::span<const Figure> pages, const std::filesystem::path& path,
                       const CairoFonts& fonts, const std::vector<Metadata>& metadata);

}  // namespace headscope
