#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// The word that continues the text, as it was chosen.
struct NextWord {
  std::string word;
  double probability = 0.0;
  int n_possible = 0;      ///< words that could have been sampled
  std::string last_word;   ///< that it follows
  bool has_ended = false;  ///< that is the end of the sentence: nothing follows
};
NextWord next_word(const PageInputs& in);

/// Whether the model of the pass has a final layer.
bool predicts_words(const PageInputs& in);
/// Whether the pass has predictions to show.
bool has_predictions(const PageInputs& in);

/// The row of the logits whose words are listed: that of the selected token, where it is of the stack that
/// predicts.
int listed_row(const PageInputs& in);

/// The word that continues the text, the likeliest words at the selected token, and maps of logits and
/// probabilities, or of a lesson's targets beside its predictions; side by side where there is room.
Page words_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
