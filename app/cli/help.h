#pragma once

#include <string>
#include <string_view>

#include "core/session/setting.h"

namespace CLI {
class App;
}

namespace headscope {

/// The width of command-line text in columns if the output is not a terminal.
inline constexpr int default_columns = 80;

/// The output of `headscope COMMAND --help`: summary, usage, examples, and the options in their groups; those
/// of long groups are only listed. No line is wider than `columns` (at least 40), except for longer words and
/// for examples, which are kept as they are. The examples are the lines of the command's footer that begin
/// with a blank.
std::string help_page(const CLI::App& command, int columns);

/// The output of `headscope options WORD`: the options of a command that have the word in their name, their
/// text or the keys of their settings, each with those keys. All options if the word is empty.
std::string options_page(const CLI::App& command, std::string_view word, int columns);

/// The help for a setting's own option: its sentence, its limits, and its default in parentheses, such as
/// “Width of a token's vector: 8 to 1024 (64)”. `default_text` replaces the default; no default is stated if
/// it is empty.
std::string help_of(const Setting& setting);
std::string help_of(const Setting& setting, const std::string& default_text);

}  // namespace headscope
