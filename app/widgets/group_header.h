#pragma once

#include <string>

#include "app/ui/ui.h"

namespace headscope {

/// Draws the heading of a foldable group of controls: a triangle, the name, and on the right quiet words that
/// say what is set in it. Words that do not fit are cut, and the tooltip shows all of them. If `is_changed`,
/// the words have the accent colour. Returns whether the heading was clicked or pressed.
bool group_header(Ui& ui, const char* name, const std::string& words, bool is_open, bool is_changed);

/// Draws a quiet line of text that can be clicked. If `enabled` is false, it is faint, and its tooltip says
/// why.
bool text_button(Ui& ui, const char* label, const char* tooltip, bool enabled);

}  // namespace headscope
