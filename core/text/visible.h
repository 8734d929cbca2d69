#pragma once

#include <string>
#include <string_view>

namespace headscope {

/// Makes untrusted text safe for terminals: escapes control and bidi characters, noncharacters (U+FFFF) and
/// invalid UTF-8 like "\\x1b". Keeps line ends and tabs.
std::string escaped_controls(std::string_view text);

/// Like escaped_controls() for a message; also escapes tabs, and line ends that are not followed by an
/// indented line, which our own messages do not contain.
std::string escaped_message(std::string_view text);

/// Makes text valid in every file format (XML 1.0 is the strictest): control characters become control
/// pictures (U+2400 …), invalid UTF-8 and noncharacters become U+FFFD. Keeps line ends, tabs and carriage
/// returns.
std::string visible_controls(std::string_view text);

/// Makes invisible characters of a token visible: ⍽ for a no-break space, ‹200B› for a zero-width space. In
/// an otherwise invisible token, also ␣ for a space, and the code points of joiners and bidi characters.
std::string with_visible_spaces(std::string_view token);

/// Converts a title to a file name without extension: "Why it looks back" → "why-it-looks-back". Keeps
/// non-ASCII letters. Empty if the title has neither letters nor digits.
std::string file_stem(const std::string& title);

}  // namespace headscope
