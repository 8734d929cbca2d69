#pragma once

#include <string>

namespace headscope {

/// What a file says of itself: {"Software", "headscope"}, {"Command", "headscope render ..."}.
struct Metadata {
  std::string key;   ///< 1 to 79 ASCII characters
  std::string text;  ///< UTF-8; files hold it as visible_controls() makes it
};

/// The key of what the command of a figure cannot say.
inline constexpr const char* left_out_key = "Command leaves out";

}  // namespace headscope
