#pragma once

#include <vector>

#include "core/figure/figure.h"

namespace headscope {

/// The program's icon in all sizes, from icon.png next to the bundled models; none if it is missing.
std::vector<Image> window_icons();

}  // namespace headscope
