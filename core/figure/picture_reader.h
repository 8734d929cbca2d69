#pragma once

#include <string_view>
#include <vector>

#include "core/figure/figure.h"
#include "core/figure/metadata.h"
#include "core/result.h"

namespace headscope {

/// The pixels of a PNG or JPEG file, not premultiplied, read by stb_image. Errors: what is neither, what is
/// damaged, and more than 4 million pixels.
Result<Image> image_in(std::string_view bytes);

/// Whether these are the bytes of such a picture, by what they begin with.
bool is_picture(std::string_view bytes);

/// What a PNG or SVG file says of itself, as this program writes it: of a PNG the texts before its pixels, of
/// an SVG the lines of its description. Empty where it says nothing, or is damaged.
std::vector<Metadata> metadata_in(std::string_view bytes);

}  // namespace headscope
