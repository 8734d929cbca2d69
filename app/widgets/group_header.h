#pragma once

#include <string>

#include "app/ui/ui.h"

namespace headscope {

/// The line of a group of controls that folds: a triangle, the name, and at the right quiet words that say
/// what is set in it, cut where they have no room; the tooltip has all of them. True when it was clicked or
/// pressed.
bool group_header(Ui& ui, const char* name, const std::string& words, bool is_open);

/// A quiet line of text that can be clicked. One that is not `enabled` is faint and says in its tooltip why.
bool text_button(Ui& ui, const char* label, const char* tooltip, bool enabled);

}  // namespace headscope
