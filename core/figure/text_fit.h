#pragma once

#include <string>
#include <string_view>

#include "core/figure/figure.h"

namespace headscope {

/// Code points of valid UTF-8 text.
int count_code_points(std::string_view text);

/// The text cut to the width, with "…" where something was cut; empty where not even "…" fits.
std::string fitted_text(std::string_view text, float width, Font font, float size,
                        const MeasureText& measure);

}  // namespace headscope
