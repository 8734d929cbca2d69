#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/imgui/keys.h"
#include "app/parts/command_id.h"
#include "app/widgets/help_sheet.h"

namespace headscope {

class App;

/// One record per command: the shortcut, the help sheet, the buttons and the tests all read it.
struct Command {
  CommandId id;
  const char* group;
  const char* name;
  Chord chord;
  bool repeats;  ///< while the key is held
  void (*run)(App&);
  std::optional<Chord> other_chord = std::nullopt;

  /// "Ctrl+K or /".
  std::string keys() const;
};

std::span<const Command> all_commands();
const Command& command(CommandId id);

/// Every shortcut, and what the mouse does.
std::vector<HelpRow> help_rows();

}  // namespace headscope
