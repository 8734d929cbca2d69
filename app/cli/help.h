#pragma once

#include <string>

#include "core/session/setting.h"

namespace CLI {
class App;
}

namespace headscope {

/// The width of command-line text in columns if the output is not a terminal.
inline constexpr int usual_columns = 80;

/// The output of `headscope COMMAND --help`: summary, usage, the options in their groups, and examples. No
/// line is wider than `columns` (at least 40), except for longer words and for examples, which are kept as
/// they are. The examples are the lines of the command's footer that begin with a blank.
std::string help_page(const CLI::App& command, int columns);

/// The help for a setting's own option: its sentence, its limits, and its default in parentheses, such as
/// “Width of a token's vector: 8 to 1024 (64)”. `usual` replaces the default; no default is stated if it is
/// empty.
std::string help_of(const Setting& setting);
std::string help_of(const Setting& setting, const std::string& usual);

}  // namespace headscope
