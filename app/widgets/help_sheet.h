#pragma once

#include <span>
#include <string>

#include "app/ui/ui.h"

namespace headscope {

struct HelpRow {
  std::string group;  ///< rows of a group stand together under its name, in the given order
  std::string keys;   ///< such as "Ctrl+E"
  std::string what;
};

/// A sheet over the window with every shortcut. Escape or a click beside it closes it (`open` becomes false).
void help_sheet(Ui& ui, bool& open, std::span<const HelpRow> rows);

}  // namespace headscope
