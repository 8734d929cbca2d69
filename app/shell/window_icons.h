#pragma once

#include <vector>

#include "core/figure/figure.h"

namespace headscope {

/// The program's icon in all sizes, read from icon.png beside the bundled models. Empty if that file is
/// missing.
std::vector<Image> window_icons();

}  // namespace headscope
