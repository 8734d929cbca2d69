#pragma once

#include <span>
#include <string>

#include "app/parts/setting_control.h"

namespace headscope {

/// The controls for the masks of the selected attention, except the causal one, and for the value of hidden
/// cells.
std::span<const PanelItem> mask_items();
std::string mask_words(const Session& session);

}  // namespace headscope
