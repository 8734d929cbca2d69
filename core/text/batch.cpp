#include "core/text/batch.h"

#include <algorithm>
#include <set>

namespace headscope {

std::size_t padded_length(std::span<const std::string> batch, TokenizerKind kind) {
  std::size_t length = 0;
  for (const std::string& sentence : batch) length = std::max(length, tokenize(sentence, kind).size());
  return length;
}

void pad(std::size_t length, TokenizerKind kind, std::vector<Token>& tokens) {
  constexpr const char* padding = "[pad]";
  while (tokens.size() < length) tokens.push_back({padding, padding, kind == TokenizerKind::seed1 ? 0 : -1});
}

std::vector<Token> distinct_words(std::span<const std::string> batch, TokenizerKind kind,
                                  std::span<const Token> source, std::span<const Token> target) {
  std::vector<Token> words;
  std::set<std::string> met;
  const auto add = [&](std::span<const Token> sentence) {
    for (const Token& token : sentence) {
      if (met.insert(token.lookup).second) words.push_back(token);
    }
  };
  for (const std::string& sentence : batch) add(tokenize(sentence, kind));
  if (batch.empty()) add(source);
  add(target);
  return words;
}

}  // namespace headscope
