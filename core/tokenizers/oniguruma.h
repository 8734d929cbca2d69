#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace headscope {

/// What \s means in Oniguruma, as the content of a character class of PCRE2: Unicode's White_Space.
inline constexpr std::string_view white_space_items =
    R"(\x{9}-\x{d}\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";

/// Rewrites a regular expression from Oniguruma's default syntax, which tokenizer.json uses, for PCRE2 with
/// UTF, UCP and MULTILINE. It covers sets within sets and their intersections, the meanings of \s, \w, \d,
/// \h, \v and \b, (?m), {,n} and {n,m}+. It is an error if the pattern is invalid UTF-8 or contains something
/// for which PCRE2 has no counterpart; the message names it.
Result<std::string> pcre_of_oniguruma(std::string_view pattern);

}  // namespace headscope
