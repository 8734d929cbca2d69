#pragma once

#include <span>
#include <string>

#include "app/parts/setting_control.h"

namespace headscope {

/// How scores become weights, and what newer models do in their attention.
std::span<const PanelItem> attention_items();
std::string attention_words(const Session& session);

}  // namespace headscope
