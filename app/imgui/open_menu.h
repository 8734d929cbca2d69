#pragma once

#include <imgui.h>

namespace headscope {

/// Records the place of the control that opened a list. Call it in every frame in which the list is open.
void note_opener_of_list(ImVec2 min, ImVec2 max);

/// Closes the lists that are open over the window if a press there is meant for something else, and returns
/// whether it did. ImGui itself closes them with the press, which then reaches nothing. A press on the list,
/// or on the control that opened it, is left to ImGui. Call it between two frames.
bool close_list_beside(ImVec2 press);

/// Keeps ImGui from taking Alt, pressed and released, for a wish to enter the menu bar: there is none, and a
/// text field would lose the keyboard. Call it before each NewFrame.
void ignore_menu_key();

}  // namespace headscope
