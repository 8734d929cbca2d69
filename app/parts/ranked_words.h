#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// Whether a model says what stands at a token (a trained encoder) or which word comes after it (all others).
bool fills_in(const Trace& trace);

/// "What the model says for “it”", "After “the”": what the words at a row of the logits are.
std::string prediction_heading(const Frame& frame, int position);

/// The likeliest words at a row of the logits with their probabilities, as bars.
/// Below them: that the row asks for something outside of what the model learned, and that the selected head
/// looks most at another word than the model answers.
void answer_notes(Frame& frame, int position);

void ranked_words(Frame& frame, int position, std::size_t most);

}  // namespace headscope
