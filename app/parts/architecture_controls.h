#pragma once

#include <span>
#include <string>

#include "app/parts/setting_control.h"

namespace headscope {

/// How random weights are drawn, and which projections and biases there are.
std::span<const PanelItem> weight_items();
std::string weight_words(const Session& session);

}  // namespace headscope
