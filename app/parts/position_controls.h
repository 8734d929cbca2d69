#pragma once

#include <array>
#include <span>
#include <string>

#include "app/parts/setting_control.h"
#include "core/enum_count.h"

namespace headscope {

/// The names of the kinds of positions, in the order of Positions.
const std::array<std::string, enum_count<Positions>>& position_names();

/// The controls for how the model knows the order of the words, including those of rotary and relative
/// positions.
std::span<const PanelItem> position_items();
std::string position_summary(const Session& session);

/// The choice between the kinds of positions, side by side.
void position_choice(Frame& frame);
void choose_positions(Frame& frame, Positions kind);

/// The controls for how many positions are shown and how wide they are. They change only the state of the
/// screen.
void position_sizes(Frame& frame, Positions kind);

}  // namespace headscope
