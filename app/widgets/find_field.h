#pragma once

#include <string>

#include "app/ui/ui.h"

namespace headscope {

/// A field over the width whose text filters what is beside it. Escape empties and leaves it; while there is
/// a text, a button at its end does the same. True when the text changed.
bool find_field(Ui& ui, const char* id, std::string& text, const char* hint, const char* tooltip);

}  // namespace headscope
