#pragma once

#include <string>

#include "app/parts/frame.h"

namespace headscope {

/// The interventions in the selected head, as a group of the settings: how much of its output goes on, and
/// where its weights come from; and what there is in all.
void intervention_controls(Frame& frame);
std::string intervention_words(const Session& session);

/// The same in one line above a page.
void intervention_bar(Frame& frame);

/// Of the cell that is pinned: its weight given by hand, or the row of its token replaced.
void cell_interventions(Frame& frame);

}  // namespace headscope
