#pragma once

#include <string>
#include <string_view>

namespace headscope {

/// Whether a text is drawn right only if it is shaped as a whole: its letters join, change places, stand
/// above each other or run from the right, or they are pictures or Chinese, Japanese or Korean, which few
/// typefaces have. The other texts, of Latin, Greek, Cyrillic and signs, are drawn letter by letter.
bool needs_shaping(std::string_view text);

/// Whether a line of the text begins at its right end, as that of its first letter with a direction does
/// (rules P2 and P3 of the Unicode Bidirectional Algorithm). What is isolated, or quoted “so”, does not
/// count.
bool is_right_to_left(std::string_view text);
bool is_right_to_left(char32_t letter);

/// The text, in which every “quotation” is isolated (U+2068, U+2069) if any letter runs from the right. Words
/// and sentences about them then keep their own directions: an arrow between two quoted words goes from left
/// to right whatever their script.
std::string with_isolated_quotes(std::string_view text);

/// Whether a letter's script has no spaces between words: Chinese, Japanese, Thai, Lao, Tibetan, Burmese,
/// Khmer and their relatives.
bool writes_without_spaces(char32_t letter);

/// Whether a letter is a picture in colours unless U+FE0E follows it: Unicode's Emoji_Presentation, or above
/// U+FFFF any pictograph, flag letter or tone of skin.
bool is_emoji(char32_t letter);

}  // namespace headscope
