#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// The names that a mistyped word may have meant, the nearest first: few letters of the name or of its last
/// part (“W_1” of “feed_forward.W_1”) differ, or one begins with the other. If the word is exactly the last
/// part of some names, or the last word of some options (“--scale” for “--score-scale”), only these are
/// returned. Upper and lower case are equal for ASCII letters.
std::vector<std::string> near_matches(std::string_view word, const std::vector<std::string>& names);

/// Asks about these names: “did you mean explore?”. Empty if there are none.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& names);
/// Begins a list of what would fit with that question: “it takes ”, or “did you mean explore? It takes ”.
std::string it_takes(std::string_view word, const std::vector<std::string>& names);
/// The same for “choose ”, or “did you mean explore? Otherwise choose ”.
std::string choose_among(std::string_view word, const std::vector<std::string>& names);

}  // namespace headscope
