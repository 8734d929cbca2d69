#pragma once

#include <memory>

#include "core/palette/palette.h"

namespace headscope {

class App;

/// All that the program can find by its name as it is now.
std::shared_ptr<const Palette> palette_of(const App& app);

}  // namespace headscope
