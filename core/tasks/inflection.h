#pragma once

#include <string>
#include <string_view>

namespace headscope {

/// Inflection of English words from their lower-case dictionary forms. Knows common irregular words; others
/// follow the spelling rules.

/// "box" → "boxes", "wolf" → "wolves", "sheep" → "sheep".
std::string plural_of(std::string_view noun);
/// "boy" → "boy's".
std::string possessive_of(std::string_view noun);
/// "carry" → "carries".
std::string present_of(std::string_view verb);
/// "stop" → "stopped", "throw" → "threw".
std::string past_of(std::string_view verb);
/// "stop" → "stopped", "throw" → "thrown".
std::string participle_of(std::string_view verb);

}  // namespace headscope
