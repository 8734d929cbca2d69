#pragma once

#include "app/ui/ui.h"

namespace headscope {

/// A rounded label with a cross in the accent colour. A click on it ends what it names. Returns true if it
/// was clicked.
bool ending_chip(Ui& ui, const char* label, const char* tooltip);
/// The width of the chip in ImGui pixels.
float chip_width(const Ui& ui, const char* label);

}  // namespace headscope
