#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/figure/cairo_painter.h"
#include "core/figure/metadata.h"

namespace headscope {

/// How many pixels a figure takes.
struct PngSides {
  float width = 0.0F, height = 0.0F;
};
PngSides png_sides(const Figure& figure, float scale);

/// The figure as pixels, `scale` pixels per figure unit.
Result<Image> rasterized(const Figure& figure, float scale, const CairoFonts& fonts);

/// The bytes of a PNG file, with the metadata as tEXt entries (iTXt where they are not ASCII).
Result<std::string> png_bytes(const Image& image, const std::vector<Metadata>& metadata);

/// Writes atomically; the file is either there in full or not at all.
Result<void> write_png(const Image& image, const std::filesystem::path& path,
                       const std::vector<Metadata>& metadata);
Result<void> write_png(const Figure& figure, float scale, const std::filesystem::path& path,
                       const CairoFonts& fonts, const std::vector<Metadata>& metadata);

}  // namespace headscope
