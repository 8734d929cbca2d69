#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/page/page.h"

namespace headscope {

/// The question of a page, and its answer for the selection.
struct Headline {
  std::string question;
  /// Sentences, the most important first, so that the last ones can be dropped where space is short. Empty
  /// while there is no answer.
  std::vector<std::string> answer;

  /// The sentences of the answer in one line.
  std::string answer_text() const;
  /// The question and the answer in one line.
  std::string text() const { return answer.empty() ? question : question + " " + answer_text(); }
  bool operator==(const Headline&) const = default;
};

/// Adds warnings against conclusions: the weights are random, or the row of the last stack is a guess, as
/// every row is whose model knows fewer than half of the words.
void add_caveats(Headline& headline, const PageInputs& in, std::optional<int> row_of_last_stack);

/// What the selected word attends to, and how much, what the head was trained to do or has learned to do, and
/// whether the result can be trusted.
Headline attention_headline(const PageInputs& in, PageTools& tools);

/// What the map of the selected stage shows: for weights, what the selected word attends to; for scores, the
/// highest one; for any other stage, what its numbers are.
Headline map_headline(const PageInputs& in, PageTools& tools);

}  // namespace headscope
