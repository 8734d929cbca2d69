#pragma once

#include <string_view>
#include <vector>

#include "core/figure/figure.h"
#include "core/paint/metadata.h"
#include "core/result.h"

namespace headscope {

/// The pixels of a PNG or JPEG file, not premultiplied. Fails if the file has another format, is damaged or
/// has more than 4 million pixels.
Result<Image> image_in(std::string_view bytes);

/// Whether the bytes begin like such a picture.
bool is_picture(std::string_view bytes);

/// The metadata that this program writes into figures: in a PNG file, the texts before the pixels; in an SVG
/// file, the lines of the description and the scene in <metadata>; in a PDF file, only the attached scene.
/// Empty if there is none or the file is damaged.
std::vector<Metadata> metadata_in(std::string_view bytes);

}  // namespace headscope
