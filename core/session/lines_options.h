#pragma once

#include <vector>

namespace headscope {

/// Keys to which no lines are drawn: the shares of the others are scaled so that each row keeps its sum.
struct HiddenKeys {
  bool first = false;        ///< the first token of the sentence
  bool special = false;      ///< [CLS], [SEP], [begin], <s>: texts in brackets
  bool punctuation = false;  ///< tokens of marks alone
  bool any() const { return first || special || punctuation; }
  bool operator==(const HiddenKeys&) const = default;
};

/// How the page of lines draws attention.
struct LinesOptions {
  bool arcs = false;   ///< over one line of tokens; otherwise between two columns
  float share = 1.0F;  ///< of each row: its strongest lines that together have it are drawn
  HiddenKeys hidden;
  bool operator==(const LinesOptions&) const = default;
};

/// Tokens on one side of the lines, whose lines are drawn alone.
struct PickedTokens {
  bool are_keys = false;    ///< of the selected attention; otherwise queries
  std::vector<int> tokens;  ///< sorted; empty: nothing is picked
  bool operator==(const PickedTokens&) const = default;
};

}  // namespace headscope
