#pragma once

#include <string>
#include <string_view>

namespace headscope {

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
