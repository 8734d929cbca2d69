#pragma once

#include <string>
#include <string_view>

namespace headscope {

/// Untrusted text for a terminal: control characters, which could move the cursor or change colours,
/// noncharacters (U+FFFF) and bytes that are not UTF-8 become "\\x1b". Line ends and tabs stay.
std::string escaped_controls(std::string_view text);

/// A message for a terminal: escaped_controls(), and a line end is ours only where an indented line follows,
/// and a tab never.
std::string escaped_message(std::string_view text);

/// Text in a form that every file format can hold (XML 1.0 holds the fewest characters): a control character
/// becomes its picture (U+2400 and following), a byte that is not UTF-8 and a noncharacter become U+FFFD.
/// Line ends, tabs and carriage returns stay.
std::string visible_controls(std::string_view text);

}  // namespace headscope
