#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/budget.h"
#include "core/result.h"
#include "core/text/tokenizer.h"

namespace headscope {

/// A part of a text that was searched for a pattern: a match, or the text between matches.
struct MatchedPart {
  TextSpan span;
  bool is_match = false;
};

/// A regular expression. It is immutable, and any thread may use it.
class Regex {
 public:
  /// Takes a pattern in Oniguruma's default syntax. It is an error if the pattern is invalid or not
  /// supported; the message names the place.
  static Result<Regex> oniguruma(std::string_view pattern);
  /// Takes a pattern in PCRE2's syntax, with UTF, UCP and MULTILINE.
  static Result<Regex> pcre(std::string_view pattern);
  /// Matches a text literally.
  static Result<Regex> literal(std::string_view text);

  /// Splits a text, which must be valid UTF-8, into matches and the text between them. The parts cover the
  /// text in order, and only matches may be empty. It is an error if the search takes too many steps. Throws
  /// OverBudget.
  Result<std::vector<MatchedPart>> parts(std::string_view text, Budget& budget) const;

 private:
  struct Compiled;
  explicit Regex(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}

  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace headscope
