#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/gui/app_driver.h"

namespace headscope {

/// A window of ImGui's as the last frame left it: a panel, a bar or a part of one.
struct DrawnPanel {
  std::string name;
  Box box;
  Box inside;  ///< what its contents are clipped to
  float content_width = 0.0F, content_height = 0.0F;
  bool scrolls = false;   ///< downwards, by the mouse
  bool is_above = false;  ///< lies over the others: a tooltip, a list, a sheet
};

/// The panels of the last frame.
std::vector<DrawnPanel> drawn_panels();

/// What the layout of the window is at this moment, to be compared with another: every panel that lies over
/// none, the room of the page in view, and (“map …”) its maps.
std::map<std::string, Box> layout_of(AppDriver& driver);

/// Faults in what the last frame drew: letters that a side of their panel cuts, words that stand on each
/// other, panels that stand on each other, and contents that reach beyond a panel which does not scroll
/// there. A field that is typed into may cut its text.
std::vector<std::string> faults_of_drawing();

/// Faults in the maps of the page in view: a selected row or a column that is strongest in it without a
/// label, and maps of one shape that differ in size. The pages on which maps stand in lines that are laid out
/// by themselves, Step by step and Predictions, are known for the latter.
std::vector<std::string> faults_of_maps(AppDriver& driver);

}  // namespace headscope
