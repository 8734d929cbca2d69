#pragma once

#include <memory>

#include "core/palette/palette.h"

namespace headscope {

class App;

/// Everything that the program can find by name in its current state.
std::shared_ptr<const Palette> palette_of(const App& app);

}  // namespace headscope
