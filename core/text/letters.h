#pragma once

#include <string>
#include <string_view>

namespace headscope {

/// Whether the code point separates words: Unicode's White_Space, control characters, and invisible spaces
/// (U+200B, U+FEFF).
bool is_separator(char32_t code_point);

/// Whether the code point is a token by itself: . , ! ? ; : ( ) " and “ ” „ « » — … ¿ ¡.
bool is_punctuation(char32_t code_point);

/// Unicode's case folding if the result is a single letter (ς becomes σ), otherwise the lower-case letter (ß
/// stays ß). The result does not depend on the locale.
char32_t lower_case(char32_t code_point);
/// The same for each letter of a text.
std::string in_lower_case(std::string_view text);

/// Whether the code point is valid but will never be assigned to a character: U+FFFE and U+FFFF of each
/// plane, and U+FDD0 to U+FDEF.
bool is_noncharacter(char32_t code_point);

/// Whether a font may have a shape for the code point: true for letters, marks, digits and signs; false for
/// control and format characters, spaces, private-use code points and code points that are no characters.
bool is_visible(char32_t code_point);

/// Whether the code point is drawn on top of the letter before it or not at all: marks, joiners and other
/// format characters.
bool takes_no_room(char32_t code_point);

}  // namespace headscope
