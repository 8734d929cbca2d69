#pragma once

#include <span>
#include <string>

#include "app/parts/setting_control.h"

namespace headscope {

/// The controls for what surrounds attention: stacks, norms, residual connections, the feed-forward layer and
/// the output layer.
std::span<const PanelItem> block_items();
std::string block_words(const Session& session);

}  // namespace headscope
