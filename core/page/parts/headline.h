#pragma once

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

  /// The question and the answer in one line.
  std::string text() const;
  bool operator==(const Headline&) const = default;
};

/// Where the selected word looks: at which words, how much of its attention goes there, what the head was
/// trained to do or has learned to do, and whether the result is to be trusted.
Headline looks_headline(const PageInputs& in, PageTools& tools);

/// The stage that the map shows: for weights, where the selected word looks; for scores, which word matches
/// best; for any other stage, what it is.
Headline map_headline(const PageInputs& in, PageTools& tools);

}  // namespace headscope
