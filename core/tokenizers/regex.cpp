#include <oniguruma.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/text/utf8.h"
#include "core/tokenizers/characters.h"
#include "core/tokenizers/tokenizer_steps.h"

namespace headscope {
namespace {

// The maximum number of backtracking steps, and of backtracking points, per start position.
constexpr unsigned long max_steps = 4'000'000;
// Backtracking over a back-reference may compare the entire text.
constexpr unsigned long max_compared = 500'000'000;
constexpr unsigned int max_backtracking_depth = 4'000'000;
// The number of start positions between checks of the clock.
constexpr std::size_t places_between_checks = 4;
constexpr std::size_t max_searched_bytes = 4096;

bool has_back_reference(std::string_view pattern) {
  for (std::size_t at = 0; (at = pattern.find('\\', at)) != std::string_view::npos && at + 1 < pattern.size();
       at += 2) {
    const char next = pattern[at + 1];
    if ((next >= '1' && next <= '9') || next == 'k') return true;
  }
  return false;
}

const OnigUChar* bytes_of(std::string_view text) {
  return reinterpret_cast<const OnigUChar*>(text.data());
}

/// The default syntax without callouts, which no tokenizer uses. onig_new() only reads it.
OnigSyntaxType* syntax_without_callouts() {
  static const std::unique_ptr<OnigSyntaxType> syntax = [] {
    OnigEncoding encoding = ONIG_ENCODING_UTF8;
    onig_initialize(&encoding, 1);
    onig_set_parse_depth_limit(max_nesting_depth);
    auto made = std::make_unique<OnigSyntaxType>();
    onig_copy_syntax(made.get(), ONIG_SYNTAX_ONIGURUMA);
    onig_set_syntax_op2(
        made.get(), onig_get_syntax_op2(made.get()) &
                        ~(ONIG_SYN_OP2_ASTERISK_CALLOUT_NAME | ONIG_SYN_OP2_QMARK_BRACE_CALLOUT_CONTENTS));
    return made;
  }();
  return syntax.get();
}

std::string quoted_pattern(std::string_view pattern) {
  constexpr std::size_t longest = 200;
  return "'" + std::string(pattern.substr(0, longest)) + (pattern.size() > longest ? "…'" : "'");
}

std::string text_of(int error, OnigErrorInfo* info = nullptr) {
  std::array<OnigUChar, ONIG_MAX_ERROR_MESSAGE_LEN> text{};
  onig_error_code_to_str(text.data(), error, info);
  return reinterpret_cast<const char*>(text.data());
}

/// The first match at or after `from`, if any.
std::optional<TextSpan> first_match(regex_t* pattern, std::string_view text, std::size_t from,
                                    OnigRegion* found, OnigMatchParam* limits, Budget& budget) {
  constexpr const char* too_long =
      "takes too long to match in this text: use a shorter text or another tokenizer";
  const OnigUChar* const begin = bytes_of(text);
  const OnigUChar* const end = begin + text.size();
  // Oniguruma's search cannot be interrupted, so long texts are tried position by position.
  const bool is_short = text.size() <= max_searched_bytes;
  int place = ONIG_MISMATCH;
  for (std::size_t at = from, n = 1; place == ONIG_MISMATCH; ++n) {
    place =
        is_short
            ? onig_search_with_param(pattern, begin, end, begin + at, end, found, ONIG_OPTION_NONE, limits)
            : onig_match_with_param(pattern, begin, end, begin + at, found, ONIG_OPTION_NONE, limits);
    try {
      if (is_short || place >= 0 || n % places_between_checks == 0) budget.check_time();
    } catch (const OverBudget&) {
      refuse(failure(too_long));
    }
    if (place == ONIG_MISMATCH && (is_short || at == text.size())) return std::nullopt;
    at += at < text.size() ? character_at(text, at).length : 0;
  }
  const bool is_limit = place == ONIGERR_RETRY_LIMIT_IN_MATCH_OVER ||
                        place == ONIGERR_RETRY_LIMIT_IN_SEARCH_OVER ||
                        place == ONIGERR_MATCH_STACK_LIMIT_OVER;
  if (is_limit) refuse(failure(too_long));
  if (place < 0) refuse(failure("cannot be matched in this text: " + text_of(place)));
  // \K moves the start of a match.
  const std::size_t match = std::max(static_cast<std::size_t>(found->beg[0]), from);
  return TextSpan{match, std::max(static_cast<std::size_t>(found->end[0]), match)};
}

/// Splits a text at the matches of `next(from)`.
template <class Next>
std::vector<MatchedPart> split_at(std::string_view text, Budget& budget, const Next& next) {
  std::vector<MatchedPart> result;
  std::size_t done = 0;
  std::optional<std::size_t> last_end;
  for (std::size_t from = 0; from <= text.size();) {
    const std::optional<TextSpan> found = next(from);
    if (!found) break;
    const TextSpan match = *found;
    from = match.end;
    if (match.begin == match.end) {
      from += from < text.size() ? character_at(text, from).length : 1;
      if (last_end == match.end) continue;  // An empty match directly after a match does not count.
    }
    // At most two parts, including vector growth.
    budget.take(4 * sizeof(MatchedPart));
    if (match.begin > done) result.push_back({{done, match.begin}, false});
    result.push_back({match, true});
    done = match.end;
    last_end = match.end;
  }
  if (done < text.size()) result.push_back({{done, text.size()}, false});
  return result;
}

}  // namespace

Result<Regex> Regex::pattern(std::string_view pattern) {
  if (valid_utf8(pattern) != pattern)
    return failure("the pattern " + quoted_pattern(valid_utf8(pattern)) + " is not UTF-8");
  regex_t* compiled = nullptr;
  OnigErrorInfo info{};
  const int error = onig_new(&compiled, bytes_of(pattern), bytes_of(pattern) + pattern.size(),
                             ONIG_OPTION_NONE, ONIG_ENCODING_UTF8, syntax_without_callouts(), &info);
  if (error != ONIG_NORMAL)
    return failure("the pattern " + quoted_pattern(pattern) + " is not valid: " + text_of(error, &info));
  return Regex(std::string(pattern), std::shared_ptr<regex_t>(compiled, onig_free));
}

std::vector<MatchedPart> Regex::parts(std::string_view text, Budget& budget) const {
  if (!compiled_) {
    return split_at(text, budget, [&](std::size_t from) -> std::optional<TextSpan> {
      const std::size_t at = text.find(text_, from);
      return at == std::string_view::npos ? std::optional<TextSpan>() : TextSpan{at, at + text_.size()};
    });
  }
  const std::shared_ptr<OnigMatchParam> limits(onig_new_match_param(), onig_free_match_param);
  const std::shared_ptr<OnigRegion> found(onig_region_new(),
                                          [](OnigRegion* region) { onig_region_free(region, 1); });
  onig_initialize_match_param(limits.get());
  onig_set_match_stack_limit_size_of_match_param(limits.get(), max_backtracking_depth);
  const unsigned long steps =
      has_back_reference(text_)
          ? std::clamp(max_compared / std::max<unsigned long>(text.size(), 1), 1000UL, max_steps)
          : max_steps;
  onig_set_retry_limit_in_match_of_match_param(limits.get(), steps);
  onig_set_retry_limit_in_search_of_match_param(limits.get(), steps);
  return split_at(text, budget, [&](std::size_t from) {
    return result_of(
               "the pattern " + quoted_pattern(text_) + " ",
               [&] { return first_match(compiled_.get(), text, from, found.get(), limits.get(), budget); })
        .value();
  });
}

}  // namespace headscope
