#include "core/text/texts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace headscope {
namespace {

/// The first token of every word in these lists, in order of appearance.
std::vector<Token> distinct(std::span<const std::span<const Token>> lists) {
  std::vector<Token> words;
  std::unordered_set<std::string_view> seen;
  for (const std::span<const Token> tokens : lists) {
    for (const Token& token : tokens) {
      if (seen.insert(token.lookup).second) words.push_back(token);
    }
  }
  return words;
}

bool is_made(const TokenizedText& text, const InputTexts& typed, const std::shared_ptr<const Tokenizer>& by) {
  return text.tokenizer == typed.tokenizer && text.model_tokenizer == by;
}

}  // namespace

BatchSummary summarize_batch(std::span<const std::span<const Token>> sentences) {
  BatchSummary batch;
  for (const std::span<const Token> tokens : sentences) {
    batch.padded_length = std::max(batch.padded_length, tokens.size());
    const auto largest = std::ranges::max_element(tokens, {}, &Token::id);
    if (largest != tokens.end()) batch.largest.push_back(*largest);
  }
  batch.words = distinct(sentences);
  return batch;
}

void pad(std::size_t length, TokenizerKind kind, std::vector<Token>& tokens) {
  constexpr const char* padding = "[pad]";
  while (tokens.size() < length) tokens.push_back({padding, padding, kind == TokenizerKind::seed1 ? 0 : -1});
}

std::vector<Token> distinct_words(const BatchSummary& batch, std::span<const Token> source,
                                  std::span<const Token> target) {
  return distinct(std::array{batch.words.empty() ? source : std::span<const Token>(batch.words), target});
}

std::vector<Token> listed_words(std::string_view list) {
  const std::vector<Token> tokens = tokenize(list, TokenizerKind::word);
  return distinct(std::array{std::span<const Token>(tokens)});
}

const Texts::Shared& Texts::no_text() {
  static const Shared empty = std::make_shared<const TokenizedText>();
  return empty;
}

const std::shared_ptr<const Texts::Batch>& Texts::no_batch() {
  static const auto empty = std::make_shared<const Batch>();
  return empty;
}

Texts::Texts(const InputTexts& typed, const Texts& cached) {
  std::unordered_map<std::string_view, Shared> made;
  const auto& source_tokenizer = typed.model_tokenizer.source_tokenizer;
  const auto& target_tokenizer = typed.model_tokenizer.target_tokenizer;
  const auto remember = [&](const Shared& text) {
    if (is_made(*text, typed, source_tokenizer)) made.try_emplace(text->text, text);
  };
  const auto tokenize_by = [&](const std::string& text, const std::shared_ptr<const Tokenizer>& by) {
    const Tokenizer& used = by ? *by : tokenizer(typed.tokenizer);
    return std::make_shared<const TokenizedText>(
        TokenizedText{text, typed.tokenizer, used.tokenize(text), by});
  };
  remember(cached.sentence_);
  remember(cached.target_);
  for (const Shared& text : cached.batch_->sentences) remember(text);
  const auto read = [&](const std::string& text) -> Shared {
    const auto found = made.find(text);
    if (found != made.end()) return found->second;
    auto now = tokenize_by(text, source_tokenizer);
    remember(now);
    return now;
  };
  sentence_ = read(typed.sentence);
  if (target_tokenizer == source_tokenizer) {
    target_ = read(typed.target);
  } else {
    const bool is_known =
        cached.target_->text == typed.target && is_made(*cached.target_, typed, target_tokenizer);
    target_ = is_known ? cached.target_ : tokenize_by(typed.target, target_tokenizer);
  }
  if (typed.batch.empty()) return;
  Batch batch;
  std::vector<std::span<const Token>> sentences;
  for (const std::string& text : typed.batch) {
    batch.sentences.push_back(read(text));
    sentences.emplace_back(batch.sentences.back()->tokens);
  }
  if (batch.sentences == cached.batch_->sentences) {
    batch_ = cached.batch_;
    return;
  }
  batch.shared = summarize_batch(sentences);
  batch_ = std::make_shared<const Batch>(std::move(batch));
}

const std::vector<Token>& Texts::of_batch(int sequence) const {
  return batch_->sentences[static_cast<std::size_t>(sequence)]->tokens;
}

Texts Texts::without_target() const {
  Texts texts = *this;
  texts.target_ = no_text();
  return texts;
}

bool Texts::match(const InputTexts& typed) const {
  const auto is_by = [&](const Shared& text, const std::string& wanted,
                         const std::shared_ptr<const Tokenizer>& by) {
    const bool makes_none = wanted.empty() && !by;
    return text->text == wanted && (makes_none || is_made(*text, typed, by));
  };
  const auto is = [&](const Shared& text, const std::string& wanted) {
    return is_by(text, wanted, typed.model_tokenizer.source_tokenizer);
  };
  return is(sentence_, typed.sentence) &&
         is_by(target_, typed.target, typed.model_tokenizer.target_tokenizer) &&
         std::ranges::equal(batch_->sentences, typed.batch, is);
}

Texts tokenize_texts(const InputTexts& typed, const Texts& cached) {
  return cached.match(typed) ? cached : Texts(typed, cached);
}

}  // namespace headscope
