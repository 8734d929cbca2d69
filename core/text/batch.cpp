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

std::vector<Token> distinct_words(std::span<const std::vector<Token>> sentences) {
  std::vector<Token> words;
  std::set<std::string> met;
  for (const std::vector<Token>& sentence : sentences) {
    for (const Token& token : sentence) {
      if (met.insert(token.lookup).second) words.push_back(token);
    }
  }
  return words;
}

}  // namespace headscope
