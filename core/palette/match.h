#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/text/tokenizer.h"

namespace headscope {

/// How well a text answers what was typed.
struct Match {
  double score = 0.0;            ///< greater is better
  std::vector<TextSpan> marked;  ///< bytes of the name that were matched, ascending and apart
};

/// The score of a match with a shortened word; all others have more.
inline constexpr double shortened_score = 30.0;

/// Every word that was typed must be found, in any order and whatever its case: in `name` as the beginning of
/// a word (best where the name begins with it), as the first letters of its words ("cm" of "causal mask"),
/// within a word, or as a word of which up to half of the letters were left out ("tmprtr" of "temperature");
/// or in `also`, more words that name the same, there only as the beginning of a word. Of names that answer
/// equally well the shorter is better. Nothing where a word is not found: letters that only stand somewhere
/// in this order are no answer. An empty query matches everything alike.
std::optional<Match> match(std::string_view query, std::string_view name, std::string_view also = {});

}  // namespace headscope
