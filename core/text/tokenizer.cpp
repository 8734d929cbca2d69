#include "core/text/tokenizer.h"

#include <algorithm>
#include <charconv>
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
    std::unordered_map<std::string_view, int> ids;
    for (Token& token : tokens) {
      token.lookup = lookup_of(token.text);
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
  std::string with_next(std::string_view text, const Token& next) const override {
    return std::string(text) + " " + std::to_string(next.id);
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

}  // namespace

std::string shown_word(std::string_view word) {
  constexpr std::size_t longest = 64;  // more letters than any picture has room for
  return shortened(word, longest);
}

std::string Tokenizer::with_next(std::string_view text, const Token& next) const {
  return std::string(text) + " " + next.text;
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

}  // namespace headscope
