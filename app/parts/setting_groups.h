#pragma once

#include <span>
#include <string>

#include "app/parts/frame.h"
#include "app/parts/setting_control.h"
#include "core/model/mask.h"

namespace headscope {

/// The controls for the masks of the selected attention, except the causal one, and for the value of hidden
/// cells.
std::span<const PanelItem> mask_items();
std::string mask_summary(const Session& session);

/// Explains how a mask file was read, "Rows are queries; 1 lets attend …", because files follow both
/// conventions.
std::string mask_interpretation(const LoadedMask& mask);

/// A group of settings that can be folded, with the words on its heading.
struct SettingGroup {
  const char* name;
  std::span<const PanelItem> items;
  std::string (*words)(const Session&);
  bool (*belongs)(const Session&) = nullptr;  ///< whether it is shown for a session; null: always
};

/// The groups in their order: masks, attention, what surrounds it, positions, weights, the picture,
/// interventions and exercises.
std::span<const SettingGroup> setting_groups();

/// The choice between the kinds of positions, side by side.
void position_choice(Frame& frame);
void choose_positions(Frame& frame, Positions kind);

/// The controls for how many positions are shown and how wide they are. They change only the state of the
/// screen.
void position_sizes(Frame& frame, Positions kind);

}  // namespace headscope
