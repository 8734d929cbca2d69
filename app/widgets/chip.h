#pragma once

#include "app/ui/ui.h"

namespace headscope {

/// A rounded label with a cross, in the accent colour, that ends what it names. True when it was clicked.
bool ending_chip(Ui& ui, const char* label, const char* tooltip);
/// Its width, in ImGui pixels.
float chip_width(const Ui& ui, const char* label);

}  // namespace headscope
