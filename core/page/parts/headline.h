#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/page/page_inputs.h"

namespace headscope {

/// What a page asks, and what its numbers answer for what is selected.
struct Headline {
  std::string question;
  /// Sentences, the most important first, so that the last ones can be left out where there is little room.
  /// Empty while there is no answer.
  std::vector<std::string> answer;

  /// The sentences of the answer in one line.
  std::string answer_text() const;
  /// The question and the answer in one line.
  std::string text() const { return answer.empty() ? question : question + " " + answer_text(); }
  bool operator==(const Headline&) const = default;
};

/// The sentences that keep one from concluding anything: the weights are random, or the row of the last stack
/// is a guess. Empty if neither applies.
std::vector<std::string> doubts(const PageInputs& in, std::optional<int> row_of_last_stack);

/// Where the selected word looks: at which words, how much of its attention goes there, what the head was
/// trained to do or has learned to do, and whether the result is to be trusted.
Headline looks_headline(const PageInputs& in, PageTools& tools);

/// What the map shows of the selected stage: for weights, where the selected word looks; for scores, which is
/// the highest; for any other stage, what its numbers are.
Headline map_headline(const PageInputs& in, PageTools& tools);

}  // namespace headscope
