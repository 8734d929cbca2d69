#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/figure/figure.h"

namespace headscope {

/// Code points of valid UTF-8 text.
int count_code_points(std::string_view text);

/// Bytes of the longest beginning of the text that ends between characters and is at most `width` wide by
/// `width_of`. It measures beginnings that are about as long as what fits, however long the text is. Of
/// letters that take no width, at most some thousands.
std::size_t fitting_bytes(std::string_view text, float width,
                          const std::function<float(std::string_view)>& width_of);

/// How wide a text is, or `most` if it is wider. The cost depends on `most`, not on the text.
float width_up_to(float most, std::string_view text, Font font, float size, const MeasureText& measure);

/// The text cut to the width, with "…" where something was cut; empty where not even "…" fits.
std::string fitted_text(std::string_view text, float width, Font font, float size,
                        const MeasureText& measure);

/// The words of a text on lines that are at most `width` wide; words that are wider are broken. No more than
/// the first `most` lines.
std::vector<std::string> wrapped_lines(std::string_view text, float width, Font font, float size,
                                       const MeasureText& measure,
                                       std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace headscope
