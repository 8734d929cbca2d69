#pragma once

#include <array>
#include <vector>

#include "core/figure/figure.h"

namespace headscope {

/// The sides of the program's icon, in pixels.
inline constexpr std::array icon_sizes{16, 22, 24, 32, 48, 64, 128, 256, 512};

/// The icon in one size: the map of a causal head that attends mostly to one word.
Figure icon_figure(int size);

/// The icons of all sizes side by side, the smallest first and aligned at the top. This is assets/icon.png.
Figure icon_strip();

/// Extracts the icons from such a picture. Empty if the picture has another size.
std::vector<Image> icons_in(const Image& strip);

}  // namespace headscope
