#include "core/tokenizers/regex.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/tokenizers/characters.h"
#include "core/tokenizers/oniguruma.h"
#include "core/tokenizers/pcre2_of_bytes.h"

namespace headscope {
namespace {

// The largest number of steps and amount of memory for backtracking from one place of the text.
constexpr std::uint32_t most_steps = 4'000'000;
constexpr std::uint32_t most_heap_kib = 256U << 10U;
// The number of places that are tried as the beginning of a match before the clock is checked again.
constexpr std::size_t places_between_looks = 4;

/// An object of PCRE2, which its deleter frees.
template <class T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

std::string message_of(int error) {
  std::array<PCRE2_UCHAR8, 256> text{};
  pcre2_get_error_message_8(error, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

std::string quoted_pattern(std::string_view pattern) {
  constexpr std::size_t longest = 200;
  std::string text(pattern.substr(0, longest));
  if (pattern.size() > longest) text += "…";
  return "'" + text + "'";
}

}  // namespace

struct Regex::Compiled {
  std::shared_ptr<pcre2_code_8> code;
  std::shared_ptr<pcre2_match_context_8> limits;
  std::string pattern;  ///< The pattern as it was given.

  /// The place of the first match at `from` or later. Empty if there is none.
  Result<std::optional<TextSpan>> first(std::string_view text, std::size_t from, pcre2_match_data_8* data,
                                        pcre2_match_context_8* context, Budget& budget) const {
    for (std::size_t begin = from;; begin += places_between_looks) {
      const auto subject = reinterpret_cast<PCRE2_SPTR8>(text.data());
      while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80U) ++begin;
      pcre2_set_offset_limit_8(context, begin + places_between_looks - 1);
      int found = pcre2_match_8(code.get(), subject, text.size(), begin, PCRE2_NO_UTF_CHECK, data, context);
      if (found == PCRE2_ERROR_JIT_STACKLIMIT) {
        found = pcre2_match_8(code.get(), subject, text.size(), begin, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT,
                              data, context);
      }
      try {
        budget.check_time();
      } catch (const OverBudget&) {
        return failure("the pattern " + quoted_pattern(pattern) +
                       " takes too long to match in this text: use a shorter text or another tokenizer");
      }
      if (found >= 0) {
        const PCRE2_SIZE* const ends = pcre2_get_ovector_pointer_8(data);
        return TextSpan{ends[0], std::max(ends[0], ends[1])};
      }
      if (found != PCRE2_ERROR_NOMATCH) {
        return failure("the pattern " + quoted_pattern(pattern) +
                       " cannot be matched in this text: " + message_of(found));
      }
      if (begin + places_between_looks > text.size()) return std::optional<TextSpan>();
    }
  }
};

Result<Regex> Regex::pcre(std::string_view pattern) {
  auto compiled = std::make_shared<Compiled>();
  compiled->pattern = pattern;
  const Owned<pcre2_compile_context_8> context(pcre2_compile_context_create_8(nullptr),
                                               pcre2_compile_context_free_8);
  compiled->limits.reset(pcre2_match_context_create_8(nullptr), pcre2_match_context_free_8);
  if (!context || !compiled->limits) return failure("there is not enough memory for a pattern");
  pcre2_set_newline_8(context.get(), PCRE2_NEWLINE_LF);
  pcre2_set_match_limit_8(compiled->limits.get(), most_steps);
  pcre2_set_heap_limit_8(compiled->limits.get(), most_heap_kib);
  int error = 0;
  PCRE2_SIZE place = 0;
  constexpr std::uint32_t options =
      PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C | PCRE2_USE_OFFSET_LIMIT;
  compiled->code.reset(pcre2_compile_8(reinterpret_cast<PCRE2_SPTR8>(pattern.data()), pattern.size(), options,
                                       &error, &place, context.get()),
                       pcre2_code_free_8);
  if (!compiled->code) {
    return failure("the pattern " + quoted_pattern(pattern) + " is not valid at byte " +
                   std::to_string(place) + ": " + message_of(error));
  }
  // If the system does not allow compiling at run time, the pattern is interpreted.
  pcre2_jit_compile_8(compiled->code.get(), PCRE2_JIT_COMPLETE);
  return Regex(std::move(compiled));
}

Result<Regex> Regex::oniguruma(std::string_view pattern) {
  const auto rewritten = pcre_of_oniguruma(pattern);
  if (!rewritten) {
    return failure("the pattern " + quoted_pattern(pattern) +
                   " is not supported: " + rewritten.error().message);
  }
  return pcre(*rewritten);
}

Result<Regex> Regex::literal(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    // Any ASCII character except for letters and digits may follow a backslash.
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          static_cast<unsigned char>(c) >= 0x80;
    if (!is_plain) pattern += '\\';
    pattern += c;
  }
  return pcre(pattern);
}

Result<std::vector<MatchedPart>> Regex::parts(std::string_view text, Budget& budget) const {
  std::vector<MatchedPart> result;
  const Owned<pcre2_match_data_8> data(pcre2_match_data_create_8(1, nullptr), pcre2_match_data_free_8);
  const Owned<pcre2_match_context_8> context(pcre2_match_context_copy_8(compiled_->limits.get()),
                                             pcre2_match_context_free_8);
  if (!data || !context) return failure("there is not enough memory for a pattern");
  std::size_t done = 0;
  std::optional<std::size_t> last_end;
  for (std::size_t from = 0; from <= text.size();) {
    const auto found = compiled_->first(text, from, data.get(), context.get(), budget);
    if (!found) return tl::unexpected(found.error());
    if (!*found) break;
    const TextSpan match = **found;
    from = match.end;
    if (match.begin == match.end) {
      if (from < text.size()) {
        from += character_at(text, from).length;
      } else {
        ++from;
      }
      if (last_end == match.end) continue;  // An empty match directly after a match does not count.
    }
    // At most two parts, in a vector that grows.
    budget.take(4 * sizeof(MatchedPart));
    if (match.begin > done) result.push_back({{done, match.begin}, false});
    result.push_back({match, true});
    done = match.end;
    last_end = match.end;
  }
  if (done < text.size()) result.push_back({{done, text.size()}, false});
  return result;
}

}  // namespace headscope
