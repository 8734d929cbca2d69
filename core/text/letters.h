#pragma once

namespace headscope {

/// Separates words: Unicode's White_Space, control characters, and spaces that cannot be seen (U+200B,
/// U+FEFF).
bool is_separator(char32_t code_point);

/// A token of its own: . , ! ? ; : ( ) " and “ ” „ « » — … ¿ ¡.
bool is_punctuation(char32_t code_point);

/// The lower-case letter of Latin, Greek, Cyrillic, Armenian and full-width capitals, from the ranges of
/// Unicode's simple case folding (so ς becomes σ); anything else unchanged. The same in every locale.
char32_t lower_case(char32_t code_point);

}  // namespace headscope
