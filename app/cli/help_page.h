#pragma once

#include <string>

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

}  // namespace headscope
