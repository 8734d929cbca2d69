#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/text/tokenizer.h"

namespace headscope {

/// A part of a text that a pattern was looked for in: a match, or what lies between matches.
struct MatchedPart {
  TextSpan span;
  bool is_match = false;
};

/// A regular expression. Immutable; any thread may use it.
class Regex {
 public:
  /// Of Oniguruma's default syntax. Errors: what is no pattern or cannot be had here, with its place.
  static Result<Regex> oniguruma(std::string_view pattern);
  /// Of PCRE2's syntax, with UTF, UCP and MULTILINE.
  static Result<Regex> pcre(std::string_view pattern);
  /// A text as it is.
  static Result<Regex> literal(std::string_view text);

  /// Splits a text, valid UTF-8, into matches and what lies between: the parts cover it in their order, and
  /// none but a match is empty. Errors: a search that takes too many steps or too much time.
  Result<std::vector<MatchedPart>> parts(std::string_view text) const;

 private:
  struct Compiled;
  explicit Regex(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}

  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace headscope
