#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// Returns the text with every ill-formed sequence replaced by U+FFFD, as the Unicode standard recommends.
std::string valid_utf8(std::string_view text);

/// Returns the code points of a text, with U+FFFD for every ill-formed sequence.
std::vector<char32_t> code_points(std::string_view text);
/// A code point and the bytes of the text that encode it.
struct LocatedCodePoint {
  char32_t value = 0;
  std::size_t begin = 0;
  std::size_t end = 0;  ///< one past the last byte
};
std::vector<LocatedCodePoint> located_code_points(std::string_view text);
/// The number of bytes, 1 to 4, of the first character of a text, which must not be empty. For an ill-formed
/// sequence, the length of the part that U+FFFD replaces.
std::size_t first_length(std::string_view text);
/// The 1 to 4 bytes that encode a code point. Those of U+FFFD if the value is not a code point that UTF-8 can
/// encode (surrogates, values above U+10FFFF).
std::string to_utf8(char32_t code_point);

/// Returns at most `max_code_points` of the text. If something was cut off, the last of them is "…".
std::string shortened(std::string_view text, std::size_t max_code_points);

}  // namespace headscope
