#pragma once

#include <span>
#include <string>

#include "app/parts/frame.h"
#include "app/parts/setting_control.h"
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

}  // namespace headscope
