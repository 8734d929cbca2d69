#pragma once

#include <array>
#include <vector>

#include "core/figure/figure.h"

namespace headscope {

/// The sides of the program's icon, in pixels.
inline constexpr std::array icon_sizes{16, 22, 24, 32, 48, 64, 128, 256, 512};

/// The icon in one size: the map of a causal head that attends mostly to one word.
Figure icon_figure(int size);

/// The icons of all sizes side by side, smallest first and aligned at the top: assets/icon.png.
Figure icon_strip();

/// Splits such a picture into its icons. Empty if the picture has another size.
std::vector<Image> split_icons(const Image& strip);

}  // namespace headscope
