#pragma once

#include <span>
#include <string>

#include "app/parts/setting_control.h"

namespace headscope {

/// The controls for how scores become weights, and for the features of newer models' attention.
std::span<const PanelItem> attention_items();
std::string attention_words(const Session& session);

}  // namespace headscope
