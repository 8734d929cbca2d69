#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/budget.h"
#include "core/result.h"
#include "core/text/tokenizer.h"

struct re_pattern_buffer;  // of Oniguruma

namespace headscope {

/// A part of a text: a match, or the text between matches.
struct MatchedPart {
  TextSpan span;
  bool is_match = false;
};

/// A regular expression. Immutable and thread-safe.
class Regex {
 public:
  /// Compiles a pattern in Oniguruma's default syntax without callouts, like Hugging Face's tokenizers.
  static Result<Regex> pattern(std::string_view pattern);
  /// Matches a literal string.
  static Regex literal(std::string_view text) { return {std::string(text), nullptr}; }

  /// Splits a text in valid UTF-8 into matches and the text between them, in order. Only matches may be
  /// empty. Fails if the search takes too many steps. Throws OverBudget.
  Result<std::vector<MatchedPart>> parts(std::string_view text, Budget& budget) const;

 private:
  Regex(std::string text, std::shared_ptr<re_pattern_buffer> compiled)
      : text_(std::move(text)), compiled_(std::move(compiled)) {}

  std::string text_;                             ///< The pattern or literal
  std::shared_ptr<re_pattern_buffer> compiled_;  ///< Null for literals
};

}  // namespace headscope
