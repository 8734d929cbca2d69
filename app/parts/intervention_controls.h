#pragma once

#include <string>

#include "app/parts/frame.h"

namespace headscope {

/// The group of settings for interventions in the selected head: how much of its output is passed on, and
/// where its weights come from. Also lists all other interventions.
void intervention_controls(Frame& frame);
std::string intervention_summary(const Session& session);

/// The same controls in one line above a page.
void intervention_bar(Frame& frame);

/// The interventions at the pinned cell: a weight given by hand, or a replaced row of its token.
void cell_interventions(Frame& frame);

}  // namespace headscope
