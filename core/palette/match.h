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

/// The score of a match with an abbreviated word. All other matches have a greater score.
inline constexpr double shortened_score = 30.0;

/// Matches a query with a name regardless of case and of the order of words. Every word of the query must be
/// found in `name` in one of these ways: at the beginning of a word (best if it also begins the name), as the
/// first letters of words ("cm" for "causal mask"), within a word, or as a word from which up to half of the
/// letters were left out ("tmprtr" for "temperature"). It may also be found in `also`, further words for the
/// same thing, but only at the beginning of a word. If names match equally well, the shorter one has the
/// greater score. Empty if a word is not found; letters that merely occur in the same order do not count. An
/// empty query matches every name equally.
std::optional<Match> match(std::string_view query, std::string_view name, std::string_view also = {});

}  // namespace headscope
