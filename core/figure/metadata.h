#pragma once

#include <string>

namespace headscope {

/// An entry of a file's metadata: {"Software", "headscope"}, {"Command", "headscope render ..."}.
struct Metadata {
  std::string key;   ///< 1 to 79 ASCII characters.
  std::string text;  ///< UTF-8. Files contain it as converted by visible_controls().
};

/// The key for what a figure's command cannot express.
inline constexpr const char* left_out_key = "Command leaves out";

}  // namespace headscope
