#pragma once

#include <span>
#include <string>

#include "app/parts/setting_control.h"

namespace headscope {

/// The controls for how numbers become colours.
std::span<const PanelItem> picture_items();
std::string picture_words(const Session& session);

}  // namespace headscope
