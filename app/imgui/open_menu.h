#pragma once

#include <imgui.h>

namespace headscope {

/// Records the box of the control that opened a popup. Call it in every frame in which the popup is open.
void record_popup_opener(ImVec2 min, ImVec2 max);

/// Closes open popups on a press outside them, and returns whether it did. ImGui itself would swallow that
/// press. A press on a popup or its opener is left to ImGui. Call it between frames.
bool dismiss_popup_outside(ImVec2 press);

/// Keeps ImGui from treating a tap of Alt as a move to the menu bar, which would take the focus from a text
/// field. Call it before each NewFrame.
void ignore_menu_key();

}  // namespace headscope
