#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// Those of `names` that may have been meant by a mistyped word, the nearest first: few letters of the name
/// or of its last part (“W_1” of “feed_forward.W_1”) differ, or one begins with the other. Names whose last
/// part is the word, or options whose last word it is (“--score-scale” of “--scale”), are all that was meant.
/// Upper and lower case of ASCII count as equal.
std::vector<std::string> near_matches(std::string_view word, const std::vector<std::string>& names);

}  // namespace headscope
