#pragma once

#include <string>
#include <string_view>

namespace headscope {

/// Makes untrusted text safe to print on a terminal. Control characters, which could move the cursor or
/// change colours, those that change the direction of text, noncharacters (U+FFFF) and bytes that are not
/// UTF-8 are written like "\\x1b". Line ends and tabs stay.
std::string escaped_controls(std::string_view text);

/// Makes a message safe to print on a terminal like escaped_controls(), but also escapes tabs and every line
/// end that no indented line follows, because the program's own messages contain no others.
std::string escaped_message(std::string_view text);

/// Makes text that every file format can hold (XML 1.0 allows the fewest characters). A control character
/// becomes its picture (U+2400 and following); a byte that is not UTF-8 or a noncharacter becomes U+FFFD.
/// Line ends, tabs and carriage returns stay.
std::string visible_controls(std::string_view text);

/// A token with marks for what could not be seen of it: ⍽ for a no-break space, and ‹200B› for a zero-width
/// space. If it has nothing else, a space becomes ␣, and what joins or directs letters is named by its number
/// as well.
std::string with_marks(std::string_view token);

}  // namespace headscope
