#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// For the sentence in view: the target words, one-hot, beside the probabilities that the model gives them,
/// and the cross-entropy of each position. Fills the remaining room.
void targets_part(Frame& frame);

/// The same for the words that come next in a decoder's sentence, whatever its weights: side by side in
/// `room` (ImGui pixels). False where no such word is known, and nothing was drawn.
bool next_words_part(Frame& frame, ImVec2 room);

/// The gradient of the last batch's loss by one weight matrix, which is chosen here.
void gradient_part(Frame& frame);

}  // namespace headscope
