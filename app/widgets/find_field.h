#pragma once

#include <string>

#include "app/ui/ui.h"

namespace headscope {

/// A field over the full width whose text filters other content. Escape empties it and leaves it. While it
/// contains text, a button at its end does the same. Returns true if the text changed.
bool find_field(Ui& ui, const char* id, std::string& text, const char* hint, const char* tooltip);

}  // namespace headscope
