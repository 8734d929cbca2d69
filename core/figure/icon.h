#pragma once

#include <array>
#include <vector>

#include "core/figure/figure.h"

namespace headscope {

/// Sides of the program's icon, in pixels.
inline constexpr std::array icon_sizes{16, 22, 24, 32, 48, 64, 128, 256, 512};

/// The icon of one size: the map of a causal head that looks at one word above all.
Figure icon_figure(int size);

/// The icons of all sizes side by side in one picture, the smallest first, all at the top: assets/icon.png.
Figure icon_strip();

/// The icons of such a picture; none where it has another size.
std::vector<Image> icons_in(const Image& strip);

}  // namespace headscope
