#pragma once

#include <string>
#include <string_view>

namespace headscope {

/// These functions return forms of English words from the dictionary form, in lower case. Common irregular
/// words are known; all others are inflected by the rules of spelling.

/// "box" → "boxes", "wolf" → "wolves", "sheep" → "sheep".
std::string plural_of(std::string_view noun);
/// "boy" → "boy's".
std::string owner_of(std::string_view noun);
/// "carry" → "carries".
std::string present_of(std::string_view verb);
/// "stop" → "stopped", "throw" → "threw".
std::string past_of(std::string_view verb);
/// "stop" → "stopped", "throw" → "thrown".
std::string participle_of(std::string_view verb);

}  // namespace headscope
