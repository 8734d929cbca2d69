#pragma once

#include <string>
#include <vector>

#include "core/page/parts/page_text.h"

namespace headscope {

/// Whether a model predicts the word at a token (a trained encoder) or the one after it (all others).
bool fills_in(const Trace& trace);

/// "The model's answer for “it”", "After “the”": the heading for the words at a row of the logits.
std::string prediction_heading(const Trace& trace, int position);

/// The likeliest words at a row of the logits with their probabilities, as bars.
void ranked_words(PageText& page, const PageInputs& in, int position, std::size_t most);

/// Below them: that the row is outside what the model learned, and that the selected head looks most at a
/// word other than the model's answer.
void answer_notes(PageText& page, const PageInputs& in, PageTools& tools, int position);

}  // namespace headscope
