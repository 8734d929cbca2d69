#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// The text with every ill-formed sequence replaced by U+FFFD, as the Unicode standard recommends.
std::string valid_utf8(std::string_view text);

/// Code points of a text; U+FFFD for every ill-formed sequence.
std::vector<char32_t> code_points(std::string_view text);
/// A code point, and the bytes of the text that it is.
struct LocatedCodePoint {
  char32_t value = 0;
  std::size_t begin = 0;
  std::size_t end = 0;  ///< behind the last one
};
std::vector<LocatedCodePoint> located_code_points(std::string_view text);
/// How many bytes the first character of a text takes that is not empty: 1 to 4, of an ill-formed sequence
/// the part that U+FFFD stands for.
std::size_t first_length(std::string_view text);
/// The 1 to 4 bytes of a code point; those of U+FFFD for what is none (surrogates, beyond U+10FFFF).
std::string to_utf8(char32_t code_point);

/// At most `max_code_points` of the text; "…" is the last of them where something was cut off the end.
std::string shortened(std::string_view text, std::size_t max_code_points);

}  // namespace headscope
