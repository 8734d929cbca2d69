#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/gui/app_driver.h"

namespace headscope {

/// An ImGui window as it was in the last frame: a panel, a bar or a part of one.
struct DrawnPanel {
  std::string name;
  Box box;
  Box inside;  ///< the rectangle to which its contents are clipped
  float content_width = 0.0F, content_height = 0.0F;
  bool scrolls = false;   ///< vertically, with the mouse
  bool is_above = false;  ///< lies over the others: a tooltip, a list or a sheet
};

/// The panels of the last frame.
std::vector<DrawnPanel> drawn_panels();

/// The current layout of the window, for comparing it with a later one: every panel that does not lie over
/// others, the room of the current page and, under names that begin with “map”, its maps.
std::map<std::string, Box> layout_of(AppDriver& driver);

/// The faults in what the last frame drew: letters cut by a side of their panel, overlapping words,
/// overlapping panels, and contents that extend beyond a panel that does not scroll in that direction. A
/// field that is being edited may cut its text.
std::vector<std::string> drawing_faults();

/// The faults in the maps of the current page: a selected row or its strongest column without a label, and
/// maps of the same shape that differ in size. Different sizes are allowed on the pages that lay out each row
/// of maps separately, Step by step and Predictions.
std::vector<std::string> map_faults(AppDriver& driver);

}  // namespace headscope
