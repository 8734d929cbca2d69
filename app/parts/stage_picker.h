#pragma once

#include <vector>

#include "app/parts/frame.h"

namespace headscope {

/// The stages that this pass has, once each: those that depend on the sentence, or the parameters. Stages
/// that only repeat another under a second name (a layer's input) are left out.
std::vector<StageKind> pickable_stages(const Trace& trace, bool parameters);

/// A strip of tabs that chooses the stage, each with its shape.
void stage_picker(Frame& frame);

/// Formula and einsum of a stage on one line; cut where the room ends.
void formula_line(Frame& frame, const StageId& stage);

/// Under the picker: title, shape, formula and einsum of the chosen stage, and the switch between
/// stages and weights.
void stage_caption(Frame& frame, const StageId& stage);

}  // namespace headscope
