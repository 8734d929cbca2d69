#include "core/text/tokenizer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/text/letters.h"
#include "core/text/utf8.h"

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

/// A word that grows character by character, and its place in the text.
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

class WordTokenizer : public Tokenizer {
 public:
  TokenizerKind kind() const override { return TokenizerKind::word; }

  std::vector<Token> tokenize(std::string_view sentence) const override {
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
    for (Token& token : tokens) {
      token.id = ids.try_emplace(token.lookup, static_cast<int>(ids.size())).first->second;
    }
    return tokens;
  }
};

class Seed1Tokenizer : public Tokenizer {
 public:
  TokenizerKind kind() const override { return TokenizerKind::seed1; }

  std::vector<Token> tokenize(std::string_view sentence) const override {
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
};

/// Reads ids that are separated by commas or white space.
class IdTokenizer : public Tokenizer {
 public:
  TokenizerKind kind() const override { return TokenizerKind::ids; }
  std::string with_next(std::string_view text, std::span<const Token> next) const override {
    std::string longer(text);
    for (const Token& token : next) longer += " " + std::to_string(token.id);
    return longer;
  }
  std::vector<Token> tokenize(std::string_view text) const override {
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
};

constexpr int max_edits = 1000;

using Word = int;  ///< The number of a lookup text, which equal tokens share.
using Words = std::vector<Word>;

/// Gives each lookup text one number, which lets the search compare integers.
class Numbering {
 public:
  Words number(const std::vector<Token>& tokens) {
    Words words;
    words.reserve(tokens.size());
    for (const Token& token : tokens)
      words.push_back(numbers_.try_emplace(token.lookup, static_cast<int>(numbers_.size())).first->second);
    return words;
  }

 private:
  std::unordered_map<std::string_view, Word> numbers_;
};

std::size_t place(int index) {
  return static_cast<std::size_t>(index);
}

Word at(const Words& words, int index) {
  return words[place(index)];
}

/// The part of two sequences between their common beginning and their common end.
struct Gap {
  int first = 0;  ///< where the part begins in both sequences
  int before_end = 0;
  int after_end = 0;
  int n() const { return before_end - first; }
  int m() const { return after_end - first; }
};

/// Myers's greedy search (An O(ND) difference algorithm, 1986). Diagonal k holds the points with
/// x − y = k; furthest[d][k] is the greatest x reached on it with d edits.
class EditSearch {
 public:
  EditSearch(const Words& before, const Words& after, const Gap& gap)
      : before_(before), after_(after), gap_(gap) {}

  /// Writes the matches of a shortest edit path. Returns false if the path needs more than max_edits.
  bool follow(std::vector<int>& followed) {
    const std::optional<int> n_edits = search();
    if (n_edits) trace_back(*n_edits, followed);
    return n_edits.has_value();
  }

 private:
  /// The x from which the walk along diagonal k starts after its d-th edit.
  int start_x(int d, int k) const {
    if (d == 0) return 0;
    return comes_from_above(d, k) ? reached(d - 1, k + 1) : reached(d - 1, k - 1) + 1;
  }
  bool comes_from_above(int d, int k) const {
    return k == -d || (k != d && reached(d - 1, k - 1) < reached(d - 1, k + 1));
  }
  int reached(int d, int k) const { return furthest_[place(d)][place(k + d)]; }
  bool matches(int x, int y) const {
    return x < gap_.n() && y < gap_.m() && at(before_, gap_.first + x) == at(after_, gap_.first + y);
  }

  std::optional<int> search() {
    const int limit = std::min(max_edits, gap_.n() + gap_.m());
    for (int d = 0; d <= limit; ++d) {
      furthest_.emplace_back(place(2 * d + 1), 0);
      for (int k = -d; k <= d; k += 2) {
        int x = start_x(d, k);
        while (matches(x, x - k)) ++x;
        furthest_.back()[place(k + d)] = x;
        if (x >= gap_.n() && x - k >= gap_.m()) return d;
      }
    }
    return std::nullopt;
  }

  void trace_back(int n_edits, std::vector<int>& followed) const {
    int k = gap_.n() - gap_.m();
    for (int d = n_edits; d >= 0; --d) {
      const int start = start_x(d, k);
      for (int x = start; x < reached(d, k); ++x) followed[place(gap_.first + x)] = gap_.first + x - k;
      if (d > 0) k += comes_from_above(d, k) ? 1 : -1;
    }
  }

  const Words& before_;
  const Words& after_;
  Gap gap_;
  std::vector<std::vector<int>> furthest_;
};

}  // namespace

bool is_mark(const Token& token) {
  return !token.lookup.empty() &&
         std::ranges::all_of(code_points(token.lookup), [](char32_t c) { return is_punctuation(c); });
}

std::string shown_word(std::string_view word) {
  constexpr std::size_t longest = 64;  // more letters than any picture has room for
  return shortened(word, longest);
}

std::string Tokenizer::with_next(std::string_view text, std::span<const Token> next) const {
  std::string longer(text);
  for (const Token& token : next) longer += " " + token.text;
  return longer;
}

const Tokenizer& tokenizer(TokenizerKind kind) {
  static const WordTokenizer word;
  static const Seed1Tokenizer seed1;
  static const IdTokenizer ids;
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

std::vector<int> follow_tokens(const std::vector<Token>& before, const std::vector<Token>& after) {
  Numbering numbering;
  const Words old_words = numbering.number(before);
  const Words new_words = numbering.number(after);
  Gap gap{0, static_cast<int>(old_words.size()), static_cast<int>(new_words.size())};
  std::vector<int> followed(before.size(), -1);
  while (gap.n() > 0 && gap.m() > 0 && at(old_words, gap.first) == at(new_words, gap.first)) {
    followed[place(gap.first)] = gap.first;
    ++gap.first;
  }
  while (gap.n() > 0 && gap.m() > 0 &&
         at(old_words, gap.before_end - 1) == at(new_words, gap.after_end - 1)) {
    --gap.before_end;
    --gap.after_end;
    followed[place(gap.before_end)] = gap.after_end;
  }
  if (gap.n() > 0 && gap.m() > 0) EditSearch(old_words, new_words, gap).follow(followed);
  return followed;
}

}  // namespace headscope
