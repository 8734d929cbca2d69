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

/// A part of a text that was searched for a pattern: a match, or the text between matches.
struct MatchedPart {
  TextSpan span;
  bool is_match = false;
};

/// A regular expression. It is immutable, and any thread may use it.
class Regex {
 public:
  /// Takes a pattern in Oniguruma's default syntax, without callouts, which is what Hugging Face's tokenizers
  /// read. It is an error if the pattern is invalid.
  static Result<Regex> pattern(std::string_view pattern);
  /// Matches a text literally.
  static Regex literal(std::string_view text) { return {std::string(text), nullptr}; }

  /// Splits a text, which must be valid UTF-8, into matches and the text between them. The parts cover the
  /// text in order, and only matches may be empty. It is an error if the search takes too many steps. Throws
  /// OverBudget.
  Result<std::vector<MatchedPart>> parts(std::string_view text, Budget& budget) const;

 private:
  Regex(std::string text, std::shared_ptr<re_pattern_buffer> compiled)
      : text_(std::move(text)), compiled_(std::move(compiled)) {}

  std::string text_;                             ///< As it was given.
  std::shared_ptr<re_pattern_buffer> compiled_;  ///< Null if the text itself is sought.
};

}  // namespace headscope
