#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace headscope {

/// The first and the last code point of a range.
using CodePointRange = std::pair<char32_t, char32_t>;
bool is_in(std::span<const CodePointRange> ranges, char32_t code_point);

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

/// Whether a text needs complex text layout (joining, reordering, stacking or right-to-left) or font fallback
/// (emoji, Chinese, Japanese, Korean). Latin, Greek, Cyrillic and symbols do not.
bool needs_shaping(std::string_view text);

/// Whether the base direction of a text is right-to-left, by its first strong character (rules P2 and P3 of
/// the Unicode Bidirectional Algorithm), ignoring isolates and “quotations”.
bool is_right_to_left(std::string_view text);
bool is_right_to_left(char32_t letter);

/// Isolates every “quotation” (U+2068, U+2069) if the text has right-to-left letters, so that quoted words do
/// not affect the direction of the sentence: an arrow between two of them points from left to right in any
/// script.
std::string with_isolated_quotes(std::string_view text);

/// Whether a letter's script has no spaces between words: Chinese, Japanese, Thai, Lao, Tibetan, Burmese,
/// Khmer …
bool writes_without_spaces(char32_t letter);

/// Whether a letter is displayed as a colour emoji unless U+FE0E follows: Unicode's Emoji_Presentation or,
/// above U+FFFF, any pictograph, flag letter or skin tone.
bool is_emoji(char32_t letter);

}  // namespace headscope
