#pragma once

#include <vector>

#include "app/parts/frame.h"

namespace headscope {

/// The stages that this pass has, once each: those that depend on the sentence, or the parameters. Stages that
/// only repeat another under a second name (a layer's input) are left out.
std::vector<StageKind> pickable_stages(const Trace& trace, bool parameters);

/// A strip of tabs that chooses the stage, each with its shape, and a switch between stages and parameters.
void stage_picker(Frame& frame, float width);

/// What the chosen stage is: formula, einsum, shape and a sentence, in at most two lines.
void stage_caption(Frame& frame, const StageId& stage);

}  // namespace headscope
