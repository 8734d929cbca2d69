#pragma once

#include <span>
#include <string>

#include "app/parts/setting_control.h"

namespace headscope {

/// The controls for how random weights are drawn, and for which projections and biases exist.
std::span<const PanelItem> weight_items();
std::string weight_words(const Session& session);

}  // namespace headscope
