#pragma once

#include <vector>

#include "core/figure/figure.h"

namespace headscope {

/// The program's icon in all sizes, from icon.png beside the models that come along; none where it is not
/// there.
std::vector<Image> window_icons();

}  // namespace headscope
