#pragma once

#include <string_view>

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/headline.h"

namespace headscope {

/// The word that was chosen to continue the text.
struct NextWord {
  int id = 0;
  std::string word;
  double probability = 0.0;
  std::string last_word;   ///< The word that it follows.
  bool has_ended = false;  ///< `last_word` ends the sentence, so nothing follows.
};
NextWord next_word(const PageInputs& in);

/// Whether the pass's model has an output layer.
bool predicts_words(const PageInputs& in);
/// What to do about a missing output layer: "add a final linear layer (Words), or open a trained model".
std::string_view cure_for_no_words(const PageInputs& in);
/// Whether the pass has predictions to show.
bool has_predictions(const PageInputs& in);

/// The row of the logits whose words are listed: that of the selected token if its stack makes the
/// predictions, or else the masked token's, or else the last.
int listed_row(const PageInputs& in);

/// Shows the word that continues the text, the likeliest words at the selected token, and maps of the logits
/// and probabilities, or of a lesson's targets beside its predictions. If there are too many words for a map,
/// lists the answer of every row instead. The parts stand side by side if there is space.
Page words_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// The likeliest word at the selected token.
Headline words_headline(const PageInputs& in, PageTools& tools);

}  // namespace headscope
