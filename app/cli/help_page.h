#pragma once

#include <string>

namespace CLI {
class App;
}

namespace headscope {

/// The width of command-line text, in columns, if the output is not a terminal.
inline constexpr int usual_columns = 80;

/// What `headscope COMMAND --help` prints: summary, usage, the options in their groups, examples. No line is
/// wider than `columns` (40 at least), but for a word that is, and for examples, which stand as they are: the
/// lines of the command's footer that begin with a blank.
std::string help_page(const CLI::App& command, int columns);

}  // namespace headscope
