#pragma once

#include <string>
#include <string_view>

namespace headscope {

/// Whether the code point separates words: Unicode's White_Space, control characters, and zero-width spaces
/// (U+200B, U+FEFF).
bool is_separator(char32_t code_point);

/// Whether the code point is a token by itself: . , ! ? ; : ( ) " and “ ” „ « » — … ¿ ¡.
bool is_punctuation(char32_t code_point);

/// Unicode case folding if the result is a single letter (ς becomes σ), otherwise lower case (ß stays ß).
/// Locale-independent.
char32_t lower_case(char32_t code_point);
/// The same for each letter of a text.
std::string to_lower_case(std::string_view text);

/// Whether the code point is a noncharacter: U+FFFE and U+FFFF of each plane, and U+FDD0 to U+FDEF.
bool is_noncharacter(char32_t code_point);

/// Whether the code point may have a visible glyph: true for letters, marks, digits and symbols; false for
/// control and format characters, spaces, private-use code points and noncharacters.
bool is_visible(char32_t code_point);

/// Whether the code point has zero width: combining marks, joiners and other format characters.
bool is_zero_width(char32_t code_point);

}  // namespace headscope
