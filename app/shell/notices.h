#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// Why there is no pass of the session; nothing where there is one.
void problem_notice(Frame& frame);

/// The interventions in the pass that is shown and what is given by hand, where its page does not say them
/// itself.
void interventions_notice(Frame& frame);

/// Offers what a killed program has left.
void leftover_notice(Frame& frame);

}  // namespace headscope
