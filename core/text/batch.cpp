#include "core/text/batch.h"

#include <algorithm>
#include <set>
#include <utility>

namespace headscope {

namespace {

/// Collects words, each once, in the order in which they first appear.
class DistinctWords {
 public:
  void add(std::span<const Token> tokens) {
    for (const Token& token : tokens) {
      if (met_.insert(token.lookup).second) words_.push_back(token);
    }
  }
  std::vector<Token> take() { return std::move(words_); }

 private:
  std::vector<Token> words_;
  std::set<std::string> met_;
};

}  // namespace

BatchText read_batch(std::span<const std::span<const Token>> sentences) {
  BatchText batch;
  DistinctWords words;
  for (const std::span<const Token> tokens : sentences) {
    batch.padded_length = std::max(batch.padded_length, tokens.size());
    words.add(tokens);
    const auto largest = std::ranges::max_element(tokens, {}, &Token::id);
    if (largest != tokens.end()) batch.largest.push_back(*largest);
  }
  batch.words = words.take();
  return batch;
}

void pad(std::size_t length, TokenizerKind kind, std::vector<Token>& tokens) {
  constexpr const char* padding = "[pad]";
  while (tokens.size() < length) tokens.push_back({padding, padding, kind == TokenizerKind::seed1 ? 0 : -1});
}

std::vector<Token> distinct_words(const BatchText& batch, std::span<const Token> source,
                                  std::span<const Token> target) {
  DistinctWords words;
  words.add(batch.words.empty() ? source : std::span<const Token>(batch.words));
  words.add(target);
  return words.take();
}

std::vector<Token> listed_words(std::string_view list) {
  DistinctWords words;
  const std::vector<Token> tokens = tokenize(list, TokenizerKind::word);
  words.add(tokens);
  return words.take();
}

}  // namespace headscope
