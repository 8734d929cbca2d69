// The help on the commands.
#include "app/shell/commands.h"

namespace headscope {

std::string Command::keys() const {
  return chord_name(chord) + (other_chord ? " or " + chord_name(*other_chord) : "");
}

std::vector<HelpRow> help_rows() {
  std::vector<HelpRow> rows;
  rows.reserve(all_commands().size());
  for (const Command& command : all_commands())
    rows.push_back({command.group, command.keys(), std::string(command.name)});
  constexpr const char* mouse = "Mouse";
  rows.push_back({mouse, "hover", "See a cell's value, a token's lines"});
  rows.push_back({mouse, "click", "Pin a cell, select a token"});
  rows.push_back({mouse, "Ctrl+click", "Pick several heads (Heads) or tokens (Lines)"});
  rows.push_back({mouse, "wheel", "Zoom the large map, scroll a long sentence"});
  rows.push_back({mouse, "right drag", "Pan the zoomed map"});
  rows.push_back({mouse, "drag a gap", "Make the settings or the inspector wider"});
  return rows;
}

}  // namespace headscope
