#pragma once

#include <array>
#include <span>
#include <string>

#include "app/parts/setting_control.h"
#include "core/enum_count.h"

namespace headscope {

/// What the kinds of positions are called, in the order of Positions.
const std::array<std::string, enum_count<Positions>>& position_names();

/// How the model knows the order of the words, and how rotary and relative positions do it.
std::span<const PanelItem> position_items();
std::string position_words(const Session& session);

/// The kinds of positions side by side.
void position_choice(Frame& frame);
void choose_positions(Frame& frame, Positions kind);

/// How many positions are pictured and how wide; changes only the screen's own state.
void position_sizes(Frame& frame, Positions kind);

}  // namespace headscope
