#pragma once

#include <array>
#include <span>
#include <string>

#include "app/parts/frame.h"
#include "app/parts/setting_control.h"
#include "core/enum_count.h"
#include "core/model/mask.h"

namespace headscope {

// The folded groups of the settings: the controls of each, and what its header says.

/// The controls for the masks of the selected attention, except the causal one, and for the value of hidden
/// cells.
std::span<const PanelItem> mask_items();
std::string mask_summary(const Session& session);

/// Explains how a mask file was read, "Rows are queries; 1 lets attend …", because files follow both
/// conventions.
std::string mask_interpretation(const LoadedMask& mask);

/// The controls for how scores become weights, and for the features of newer models' attention.
std::span<const PanelItem> attention_items();
std::string attention_summary(const Session& session);

/// The controls for what surrounds attention: stacks, norms, residual connections, the feed-forward layer and
/// the output layer.
std::span<const PanelItem> block_items();
std::string block_summary(const Session& session);

/// The controls for how random weights are drawn, and for which projections and biases exist.
std::span<const PanelItem> weight_items();
std::string weight_summary(const Session& session);

/// The controls for how numbers become colours.
std::span<const PanelItem> picture_items();
std::string picture_summary(const Session& session);

/// The controls for the covered cells of an exercise, and how many have been filled in.
void cover_controls(Frame& frame);
std::string cover_summary(const Session& session);

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
