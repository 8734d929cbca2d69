#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/figure/figure.h"

namespace headscope {

/// The number of code points in a valid UTF-8 text.
int count_code_points(std::string_view text);

/// The first position from `at` on, or the last one up to `at`, that does not split a character.
std::size_t end_of_character(std::string_view text, std::size_t at);
std::size_t start_of_character(std::string_view text, std::size_t at);

/// The number of bytes in the longest prefix that ends between letters (with their marks) and whose
/// `width_of` is at most `width`. Measures only prefixes of about the fitting length, so the cost does not
/// depend on the length of the text. Prefixes without width are limited to a few thousand letters.
std::size_t fitting_bytes(std::string_view text, float width,
                          const std::function<float(std::string_view)>& width_of);

/// The text, elided with "…" to fit the width. Empty if not even "…" fits.
std::string elided_text(std::string_view text, float width, Font font, float size,
                        const MeasureText& measure);

/// The width of the widest text. `text_of` returns the text of an element.
template <class Range, class TextOf = std::identity>
float widest_text(const Range& all, Font font, float size, const MeasureText& measure,
                  const TextOf& text_of = {}) {
  float width = 0.0F;
  for (const auto& each : all) width = std::max(width, measure(std::invoke(text_of, each), font, size).width);
  return width;
}

/// Wraps a text into lines of at most `width`, breaking wider words. Returns the first `limit` lines.
std::vector<std::string> wrapped_lines(std::string_view text, float width, Font font, float size,
                                       const MeasureText& measure,
                                       std::size_t limit = std::numeric_limits<std::size_t>::max());

}  // namespace headscope
