#pragma once

#include <vector>

#include "core/session/action.h"

namespace headscope {

/// Returns presets for models in use, from their published configurations. They keep the parts and the ratios
/// of the sizes, reduced to sizes that can be viewed, and have random weights.
std::vector<Preset> model_presets();

}  // namespace headscope
