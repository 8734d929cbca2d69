#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/paint/cairo_painter.h"
#include "core/paint/metadata.h"

namespace headscope {

/// The size of a figure in pixels.
struct PngSides {
  float width = 0.0F, height = 0.0F;
};
PngSides png_sides(const Figure& figure, float scale);

/// The pixels of a figure, with `scale` pixels per figure unit.
Result<Image> rasterized(const Figure& figure, float scale, const CairoFonts& fonts);

/// The bytes of a PNG file. Metadata is stored in tEXt chunks, or in iTXt chunks if it is not ASCII.
Result<std::string> png_bytes(const Image& image, const std::vector<Metadata>& metadata);

/// Writes the file atomically: it is either complete or not there at all.
Result<void> write_png(const Image& image, const std::filesystem::path& path,
                       const std::vector<Metadata>& metadata);
Result<void> write_png(const Figure& figure, float scale, const std::filesystem::path& path,
                       const CairoFonts& fonts, const std::vector<Metadata>& metadata);

}  // namespace headscope
