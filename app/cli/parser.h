#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>
#include <vector>

#include "app/cli/command_options.h"
#include "core/result.h"

namespace headscope {

/// This must match CMakeLists.txt; tests/cli compares the two.
inline constexpr const char* version = "0.1.0";

/// A command of a parser.
struct Subcommand {
  CLI::App* app;
  Result<void> (*run)(const CommandOptions&, std::ostream&);
};

/// The commands that a parser knows. Their thousand options take 10 ms to set up, and those of `render` 1 ms.
enum class KnownCommands { all, render };

/// The program's options and commands, with their parsed values.
struct CommandParser {
  CommandOptions options;
  CLI::App app{"", "headscope"};
  std::vector<Subcommand> commands;

  explicit CommandParser(KnownCommands known = KnownCommands::all);
  /// The requested command. Null if the window was requested.
  const Subcommand* chosen() const;
};

}  // namespace headscope
