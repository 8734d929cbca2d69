#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/text/tokenizer.h"

namespace headscope {

/// How well a name matches a query.
struct Match {
  double score = 0.0;            ///< Greater is better.
  std::vector<TextSpan> marked;  ///< The matched bytes of the name, as ascending, disjoint spans.
};

/// The score of a match with an abbreviated word, below that of any other match.
inline constexpr double shortened_score = 30.0;

/// Matches a query against a name, ignoring case and the order of words. Every word of the query must occur
/// in `name`: as a prefix of a word (best if it begins the name), as initials of words ("cm" for "causal
/// mask"), within a word, or as a word without up to half of its letters ("tmprtr" for "temperature"); or as
/// a prefix of a word of `keywords`, further names for the same thing. Of equally good matches, the shorter
/// name scores higher. Empty if a word does not occur; a mere subsequence of letters does not count. An empty
/// query matches every name equally.
std::optional<Match> match(std::string_view query, std::string_view name, std::string_view keywords = {});

}  // namespace headscope
