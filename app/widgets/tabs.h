#pragma once

#include <span>
#include <string>

#include "app/ui/ui.h"

namespace headscope {

struct Tab {
  std::string name;
  std::string detail;  ///< a second line in small mono ("11×16"); empty: one line
  std::string tooltip;
};

/// Side by side; scrolls sideways (wheel, or the selection) where they do not fit `width` (ImGui pixels; 0:
/// what is left). Left and right arrows go from tab to tab when the keyboard is on the strip. True when
/// another was chosen.
bool tabs(Ui& ui, const char* id, std::span<const Tab> tabs, int& selected, float width = 0.0F);
/// The width that tabs() would like.
float tabs_width(Ui& ui, std::span<const Tab> tabs);

}  // namespace headscope
