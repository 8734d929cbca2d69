#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The sentence, large, to type into; the target under it, where there are two stacks; the sentences of a
/// batch; how many tokens there are and how long the pass took.
void sentence_bar(Frame& frame);

/// In ImGui pixels: a line more for a target, and for examples.
float sentence_bar_height(const Ui& ui, const Session& session);

}  // namespace headscope
