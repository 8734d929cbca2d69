#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The sentence in a large field, with the target below it if there are two stacks, the sentences of a batch,
/// the number of tokens and the time of the pass.
void sentence_bar(Frame& frame);

/// The height in ImGui pixels, with an additional line for a target.
float sentence_bar_height(const Ui& ui, const Session& session);

}  // namespace headscope
