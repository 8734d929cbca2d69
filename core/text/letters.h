#pragma once

namespace headscope {

/// Separates words: Unicode's White_Space, control characters, and spaces that cannot be seen (U+200B,
/// U+FEFF).
bool is_separator(char32_t code_point);

/// A token of its own: . , ! ? ; : ( ) " and “ ” „ « » — … ¿ ¡.
bool is_punctuation(char32_t code_point);

/// Unicode's case folding where that is one letter (so ς becomes σ), else the lower-case letter (ß stays ß).
/// The same in every locale.
char32_t lower_case(char32_t code_point);

/// A code point that is valid and will never be a character: U+FFFE and U+FFFF of each plane, U+FDD0 to
/// U+FDEF.
bool is_noncharacter(char32_t code_point);

/// Whether a font may have a shape for it: a letter, mark, digit or sign. Not control and format characters,
/// spaces, what is for private use, and what is no character.
bool is_visible(char32_t code_point);

/// Whether it is drawn upon the letter before it, or not at all: marks, joiners and other format characters.
bool takes_no_room(char32_t code_point);

}  // namespace headscope
