#pragma once

#include <span>
#include <string>

#include "app/ui/ui.h"

namespace headscope {

struct Tab {
  std::string name;
  std::string detail;  ///< a second line in a small monospaced font ("11×16"); empty: one line
  std::string tooltip;
  std::string before = {};  ///< a sign between the previous tab and this one, such as "→"; empty: none
};

/// Tabs side by side, scrolling sideways if they do not fit into `width` (ImGui pixels; 0: the remaining
/// space). The left and right arrow keys move from tab to tab while the strip has the keyboard focus. Returns
/// true if another tab was chosen.
bool tabs(Ui& ui, const char* id, std::span<const Tab> tabs, int& selected, float width = 0.0F);
/// The width that tabs() needs to show all tabs.
float tabs_width(Ui& ui, std::span<const Tab> tabs);

}  // namespace headscope
