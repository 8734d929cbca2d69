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
  void (*run)(const CommandOptions&, std::ostream&);
};

/// The program's options and commands, with their parsed values.
struct CommandParser {
  CommandOptions options;
  CLI::App app{"", "headscope"};
  std::vector<Subcommand> commands;

  /// Setting up all thousand options takes 10 ms, and those of `render` alone 1 ms.
  explicit CommandParser(bool only_render = false);
  /// The requested command. Null if the window was requested.
  const Subcommand* selected_command() const;
};

/// Adds all options that describe a subject and what is selected in it.
void add_subject_options(CLI::App& command, CommandOptions& options);

}  // namespace headscope
