#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// Replaces every ill-formed sequence by U+FFFD, as recommended by the Unicode standard.
std::string valid_utf8(std::string_view text);

/// The code points of a text, with U+FFFD for every ill-formed sequence.
std::vector<char32_t> code_points(std::string_view text);
/// A code point and its byte range.
struct LocatedCodePoint {
  char32_t value = 0;
  std::size_t begin = 0;
  std::size_t end = 0;  ///< one past the last byte
};
std::vector<LocatedCodePoint> located_code_points(std::string_view text);
/// The length in bytes, 1 to 4, of the first character (or ill-formed sequence) of a non-empty text.
std::size_t first_character_length(std::string_view text);
/// Encodes a code point. Surrogates and values above U+10FFFF become U+FFFD.
std::string to_utf8(char32_t code_point);

/// Truncates to `max_code_points`, including a final "…" if anything is cut off.
std::string truncated(std::string_view text, std::size_t max_code_points);

}  // namespace headscope
