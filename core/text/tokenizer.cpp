#include "core/text/tokenizer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/text/letters.h"
#include "core/text/utf8.h"
#include "core/text/visible.h"
#include "core/text/vocabulary.h"

namespace headscope {
namespace {

constexpr std::string_view seed1_ignored = ",';#$@&)(";
constexpr char32_t typographic_apostrophe = U'’';
constexpr char32_t typographic_opening = U'‘';

std::string lookup_of(std::string_view text) {
  std::string lookup;
  lookup.reserve(text.size());
  for (const char32_t c : code_points(text)) {
    const bool is_apostrophe = c == typographic_apostrophe || c == typographic_opening;
    lookup += to_utf8(is_apostrophe ? U'\'' : lower_case(c));
  }
  return lookup;
}

/// A word under construction, with its span.
struct GrowingWord {
  std::string text;
  TextSpan span;

  void add(const LocatedCodePoint& point) {
    if (text.empty()) span.begin = point.begin;
    span.end = point.end;
    text += to_utf8(point.value);
  }
  /// Appends the word to `tokens` unless it is empty, and starts a new one.
  void finish(std::vector<Token>& tokens) {
    if (!text.empty()) tokens.push_back({std::move(text), {}, 0, span});
    text.clear();
  }
};

/// Splits a pronoun from a verb that is shortened behind it, as in “it's”: the verb keeps its letters and is
/// looked up as the whole word.
void split_contractions(std::vector<Token>& tokens) {
  constexpr std::array<std::string_view, 6> pronouns{"it", "he", "she", "they", "we", "you"};
  constexpr std::array<std::pair<std::string_view, const char*>, 2> verbs{{{"'s", "is"}, {"'re", "are"}}};
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    for (const auto& [ending, verb] : verbs) {
      const std::string& lookup = tokens[i].lookup;
      if (!lookup.ends_with(ending)) continue;
      const std::string pronoun = lookup.substr(0, lookup.size() - ending.size());
      if (std::ranges::find(pronouns, pronoun) == pronouns.end()) continue;
      Token rest{tokens[i].text.substr(pronoun.size()), verb, 0, tokens[i].span};
      rest.span.begin += pronoun.size();
      rest.continues_word = true;
      tokens[i].text.resize(pronoun.size());
      tokens[i].lookup = pronoun;
      tokens[i].span.end = rest.span.begin;
      tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(rest));
      break;
    }
  }
}

std::vector<Token> split_at_words(std::string_view sentence) {
  std::vector<Token> tokens;
  GrowingWord word;
  for (const LocatedCodePoint& point : located_code_points(sentence)) {
    const bool is_mark = is_punctuation(point.value);
    if (is_separator(point.value) || is_mark) word.finish(tokens);
    if (is_separator(point.value)) continue;
    word.add(point);
    if (is_mark) word.finish(tokens);
  }
  word.finish(tokens);
  for (Token& token : tokens) token.lookup = lookup_of(token.text);
  split_contractions(tokens);
  std::unordered_map<std::string_view, int> ids;
  for (Token& token : tokens)
    token.id = ids.try_emplace(token.lookup, static_cast<int>(ids.size())).first->second;
  return tokens;
}

std::vector<Token> split_as_seed1(std::string_view sentence) {
  std::vector<Token> tokens;
  GrowingWord word;
  for (const LocatedCodePoint& point : located_code_points(sentence)) {
    if (is_separator(point.value)) {
      word.finish(tokens);
    } else if (point.value >= 0x80 ||
               seed1_ignored.find(static_cast<char>(point.value)) == std::string_view::npos) {
      word.add(point);
    }
  }
  word.finish(tokens);
  // Byte-wise order of UTF-8 is the order of its code points, which is how Python sorts.
  std::vector<std::string> sorted;
  sorted.reserve(tokens.size());
  for (const Token& token : tokens) sorted.push_back(token.text);
  std::sort(sorted.begin(), sorted.end());
  for (Token& token : tokens) {
    const auto after_last = std::upper_bound(sorted.begin(), sorted.end(), token.text);
    token.lookup = token.text;
    token.id = static_cast<int>(after_last - sorted.begin()) - 1;
  }
  return tokens;
}

/// Parses ids separated by commas or white space.
std::vector<Token> read_ids(std::string_view text) {
  constexpr std::string_view separators = ", \t\r\n";
  std::vector<Token> tokens;
  std::size_t at = text.find_first_not_of(separators);
  while (at != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    Token token;
    token.text = valid_utf8(text.substr(at, end - at));
    token.lookup = token.text;
    token.span = {at, end};
    const char* const last = token.text.data() + token.text.size();
    const auto [read, error] = std::from_chars(token.text.data(), last, token.id);
    if (error != std::errc() || read != last || token.id < 0) token.id = -1;
    tokens.push_back(std::move(token));
    at = text.find_first_not_of(separators, end);
  }
  return tokens;
}

class BuiltInTokenizer : public Tokenizer {
 public:
  BuiltInTokenizer(TokenizerKind kind, std::vector<Token> (*split)(std::string_view))
      : kind_(kind), split_(split) {}
  TokenizerKind kind() const override { return kind_; }
  std::vector<Token> tokenize(std::string_view text) const override { return split_(text); }

 private:
  TokenizerKind kind_;
  std::vector<Token> (*split_)(std::string_view);
};

/// Interns lookup texts, so that the search compares integers.
std::vector<int> numbered(const std::vector<Token>& tokens,
                          std::unordered_map<std::string_view, int>& numbers) {
  std::vector<int> words;
  words.reserve(tokens.size());
  for (const Token& token : tokens)
    words.push_back(numbers.try_emplace(token.lookup, static_cast<int>(numbers.size())).first->second);
  return words;
}

/// Calls `match(i, j)` for the pairs of a longest common subsequence, found with the quadratic table.
template <class Match>
void match_longest(std::span<const int> before, std::span<const int> after, const Match& match) {
  const std::size_t n = before.size();
  const std::size_t width = after.size() + 1;
  // The LCS length of the suffixes from i and j.
  std::vector<std::uint16_t> common((n + 1) * width, 0);
  for (std::size_t i = n; i-- > 0;) {
    std::uint16_t* const row = common.data() + i * width;
    for (std::size_t j = after.size(); j-- > 0;) {
      row[j] = before[i] == after[j] ? static_cast<std::uint16_t>(row[width + j + 1] + 1)
                                     : std::max(row[width + j], row[j + 1]);
    }
  }
  for (std::size_t i = 0, j = 0; i < n && j < after.size();) {
    if (before[i] == after[j]) {
      match(i++, j++);
    } else if (common[(i + 1) * width + j] >= common[i * width + j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
}

}  // namespace

bool is_mark(const Token& token) {
  return !token.lookup.empty() &&
         std::ranges::all_of(code_points(token.lookup), [](char32_t c) { return is_punctuation(c); });
}

std::vector<int> ids_of(std::span<const Token> tokens) {
  std::vector<int> ids;
  ids.reserve(tokens.size());
  for (const Token& token : tokens) ids.push_back(token.id);
  return ids;
}

std::string display_word(std::string_view word) {
  constexpr std::size_t longest = 64;  // more letters than fit into any picture
  if (const auto ending = placeholder_ending(word))
    return ending->empty() ? "unknown word" : "unknown word in -" + *ending;
  return with_visible_spaces(truncated(word, longest));
}

std::string quoted_word(std::string_view word) {
  if (word.size() > 1 && word.front() == ' ') word.remove_prefix(1);
  return "“" + display_word(word) + "”";
}

std::string Tokenizer::with_appended_tokens(std::string_view text, std::span<const Token> next) const {
  std::string longer(text);
  for (const Token& token : next)
    longer += " " + (kind() == TokenizerKind::ids ? std::to_string(token.id) : token.text);
  return longer;
}

const Tokenizer& tokenizer(TokenizerKind kind) {
  static const BuiltInTokenizer word(TokenizerKind::word, split_at_words);
  static const BuiltInTokenizer seed1(TokenizerKind::seed1, split_as_seed1);
  static const BuiltInTokenizer ids(TokenizerKind::ids, read_ids);
  switch (kind) {
    case TokenizerKind::seed1:
      return seed1;
    case TokenizerKind::ids:
      return ids;
    default:
      return word;
  }
}

std::vector<Token> tokenize(std::string_view sentence, TokenizerKind kind) {
  return tokenizer(kind).tokenize(sentence);
}

std::vector<int> align_tokens(const std::vector<Token>& before, const std::vector<Token>& after) {
  std::unordered_map<std::string_view, int> numbers;
  const std::vector<int> old_words = numbered(before, numbers);
  const std::vector<int> new_words = numbered(after, numbers);
  std::size_t n = old_words.size();
  std::size_t m = new_words.size();
  std::vector<int> followed(n, -1);
  std::size_t first = 0;
  for (; first < std::min(n, m) && old_words[first] == new_words[first]; ++first)
    followed[first] = static_cast<int>(first);
  while (n > first && m > first && old_words[n - 1] == new_words[m - 1])
    followed[--n] = static_cast<int>(--m);
  constexpr std::size_t max_pairs = 16'000'000;
  if (n == first || (m - first) > max_pairs / (n - first)) return followed;
  match_longest(std::span(old_words).subspan(first, n - first),
                std::span(new_words).subspan(first, m - first),
                [&](std::size_t i, std::size_t j) { followed[first + i] = static_cast<int>(first + j); });
  return followed;
}

}  // namespace headscope
