#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/figure/figure.h"
#include "core/paint/metadata.h"
#include "core/result.h"

namespace headscope {

/// The bytes of a PNG file. Metadata is stored in tEXt chunks, or in iTXt chunks if it is not ASCII.
Result<std::string> png_bytes(const Image& image, const std::vector<Metadata>& metadata);

/// Writes the file atomically.
Result<void> write_png(const Image& image, const std::filesystem::path& path,
                       const std::vector<Metadata>& metadata);

/// The texts before the pixels of a PNG file. Empty if there is none or the file is damaged.
std::vector<Metadata> texts_in_png(std::string_view bytes);

}  // namespace headscope
