#pragma once

#include <vector>

namespace headscope {

/// The keys to which no lines are drawn. The shares of the other keys are scaled so that each row keeps its
/// sum.
struct HiddenKeys {
  bool first = false;        ///< The first token of the sentence.
  bool special = false;      ///< Special tokens, such as [CLS], [SEP], [begin] and <s>.
  bool punctuation = false;  ///< Tokens that consist only of punctuation marks.
  bool any() const { return first || special || punctuation; }
  bool operator==(const HiddenKeys&) const = default;
};

/// The way in which the page of lines draws attention.
struct LinesOptions {
  /// True for arcs over one line of tokens, false for lines between two columns.
  bool arcs = false;
  /// For each row, only its strongest lines that together have this share are drawn.
  float share = 1.0F;
  HiddenKeys hidden;
  /// The sub-words of a word are one token: weights to it are summed, weights from it averaged.
  bool whole_words = false;
  bool operator==(const LinesOptions&) const = default;
};

/// The tokens on one side of the lines whose lines are drawn alone.
struct PickedTokens {
  /// True if they are keys of the selected attention, false if they are queries.
  bool are_keys = false;
  std::vector<int> tokens;  ///< Sorted. Empty if nothing is picked.
  bool operator==(const PickedTokens&) const = default;
};

}  // namespace headscope
