#pragma once

#include <span>
#include <string>

#include "app/parts/setting_control.h"

namespace headscope {

/// The masks of the selected attention but the causal one, and what hidden cells hold.
std::span<const PanelItem> mask_items();
std::string mask_words(const Session& session);

}  // namespace headscope
