#pragma once

#include <string>

#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// The picture with what --colors says: one name, or one of each family with a comma between them.
Result<PictureOptions> with_colors(PictureOptions picture, const std::string& given);
/// With what --range says: map, row, all_heads or LOW:HIGH.
Result<PictureOptions> with_range(PictureOptions picture, const std::string& given);
/// With what --transfer says: linear, logarithmic, gamma or gamma:G.
Result<PictureOptions> with_transfer(PictureOptions picture, const std::string& given);

}  // namespace headscope
