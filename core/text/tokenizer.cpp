#include "core/text/tokenizer.h"

#include <algorithm>
#include <unordered_map>

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

std::vector<Token> word_tokens(std::string_view sentence) {
  std::vector<Token> tokens;
  std::string word;
  const auto finish_word = [&] {
    if (!word.empty()) tokens.push_back({word, lookup_of(word), 0});
    word.clear();
  };
  for (const char32_t c : code_points(sentence)) {
    if (is_separator(c)) {
      finish_word();
    } else if (is_punctuation(c)) {
      finish_word();
      const std::string mark = to_utf8(c);
      tokens.push_back({mark, mark, 0});
    } else {
      word += to_utf8(c);
    }
  }
  finish_word();

  std::unordered_map<std::string_view, int> ids;
  for (Token& token : tokens)
    token.id = ids.try_emplace(token.lookup, static_cast<int>(ids.size())).first->second;
  return tokens;
}

std::vector<Token> seed1_tokens(std::string_view sentence) {
  std::vector<std::string> words;
  std::string word;
  const auto finish_word = [&] {
    if (!word.empty()) words.push_back(word);
    word.clear();
  };
  for (const char32_t c : code_points(sentence)) {
    if (is_separator(c)) {
      finish_word();
    } else if (c >= 0x80 || seed1_ignored.find(static_cast<char>(c)) == std::string_view::npos) {
      word += to_utf8(c);
    }
  }
  finish_word();

  // UTF-8 sorts byte by byte as its code points do, which is how Python sorts.
  std::vector<std::string> sorted = words;
  std::sort(sorted.begin(), sorted.end());
  std::vector<Token> tokens;
  tokens.reserve(words.size());
  for (const std::string& text : words) {
    const auto after_last = std::upper_bound(sorted.begin(), sorted.end(), text);
    tokens.push_back({text, text, static_cast<int>(after_last - sorted.begin()) - 1});
  }
  return tokens;
}

}  // namespace

std::vector<Token> tokenize(std::string_view sentence, TokenizerKind kind) {
  return kind == TokenizerKind::word ? word_tokens(sentence) : seed1_tokens(sentence);
}

}  // namespace headscope
