#pragma once

#include <vector>

#include "core/session/action.h"

namespace headscope {

/// Models in use, by their published configurations: their parts and the ratios of their sizes, at sizes that
/// can be looked at, with random weights.
std::vector<Preset> model_presets();

}  // namespace headscope
