#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/imgui/keys.h"
#include "app/parts/frame.h"
#include "app/widgets/sheet.h"
#include "core/palette/palette.h"

namespace headscope {

class App;
struct Setting;

/// The record of a command. The shortcuts, the help sheet, the buttons and the tests all read it.
struct Command {
  CommandOrView id;
  const char* group;
  std::string_view name;
  Chord chord;
  bool repeats;                           ///< while the key is held
  void (*run)(App&);                      ///< null for a command that opens a view or toggles a setting
  std::string_view keywords = {};         ///< more search words for the palette
  bool (*enabled)(const App&) = nullptr;  ///< null: always
  std::optional<Chord> other_chord = std::nullopt;
  const Setting* toggled_setting = nullptr;  ///< the setting that it toggles; null if none

  bool is(CommandId command) const { return id == CommandOrView(command); }
  /// The names of its keys: "Ctrl+9 or Alt+M".
  std::string keys() const;
};

std::span<const Command> all_commands();
const Command& command(CommandOrView id);
bool is_enabled(const App& app, CommandOrView id);
/// Carries out a command, or opens a view.
void run_command(App& app, CommandOrView id);

/// All shortcuts, and what the mouse does.
std::vector<HelpRow> help_rows();

/// Everything that the program can find by name in its current state.
std::shared_ptr<const Palette> palette_of(const App& app);

}  // namespace headscope
