#pragma once

#include <string>

#include "app/ui/ui.h"

namespace headscope {

/// Draws the line above a group of controls that folds: a triangle, the name, and at the right quiet words
/// that say what is set in it. Words without room are cut, and the tooltip has all of them. Returns whether
/// the line was clicked or pressed.
bool group_header(Ui& ui, const char* name, const std::string& words, bool is_open);

/// Draws a quiet line of text that can be clicked. If it is not `enabled`, it is faint, and its tooltip says
/// why.
bool text_button(Ui& ui, const char* label, const char* tooltip, bool enabled);

}  // namespace headscope
