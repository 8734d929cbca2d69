#pragma once

#include <string>
#include <string_view>

namespace headscope {

/// A text that was not ours, for a terminal: control characters, which could move the cursor or change
/// colours, noncharacters (U+FFFF) and bytes that are no UTF-8 become "\\x1b". Line ends and tabs stay.
std::string escaped_controls(std::string_view text);

/// A message for a terminal: escaped_controls(), and a line end is ours only where an indented line follows,
/// and a tab never.
std::string escaped_message(std::string_view text);

/// A text as every file format can hold it (XML 1.0 holds the fewest characters): a control character becomes
/// its picture (U+2400 and following), a byte that is no UTF-8 and what is no character U+FFFD. Line ends,
/// tabs and carriage returns stay.
std::string visible_controls(std::string_view text);

}  // namespace headscope
