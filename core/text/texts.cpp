#include "core/text/texts.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace headscope {

const Texts::Shared& Texts::no_text() {
  static const Shared empty = std::make_shared<const TokenizedText>();
  return empty;
}

const std::shared_ptr<const Texts::Batch>& Texts::no_batch() {
  static const auto empty = std::make_shared<const Batch>();
  return empty;
}

Texts::Texts(const TypedTexts& typed, const Texts& known) {
  const Tokenizer& used = typed.of_model ? *typed.of_model : tokenizer(typed.tokenizer);
  std::unordered_map<std::string_view, Shared> made;
  const auto keep = [&](const Shared& text) {
    if (typed.made(*text)) made.try_emplace(text->text, text);
  };
  keep(known.sentence_);
  keep(known.target_);
  for (const Shared& text : known.batch_->sentences) keep(text);
  const auto read = [&](const std::string& text) -> Shared {
    const auto found = made.find(text);
    if (found != made.end()) return found->second;
    auto now = std::make_shared<const TokenizedText>(
        TokenizedText{text, typed.tokenizer, used.tokenize(text), typed.of_model});
    keep(now);
    return now;
  };
  sentence_ = read(typed.sentence);
  target_ = read(typed.target);
  if (typed.batch.empty()) return;
  Batch batch;
  std::vector<std::span<const Token>> sentences;
  for (const std::string& text : typed.batch) {
    batch.sentences.push_back(read(text));
    sentences.emplace_back(batch.sentences.back()->tokens);
  }
  if (batch.sentences == known.batch_->sentences) {
    batch_ = known.batch_;
    return;
  }
  batch.shared = read_batch(sentences);
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

bool Texts::are_of(const TypedTexts& typed) const {
  const auto is = [&](const Shared& text, const std::string& wanted) {
    return text->text == wanted && (wanted.empty() || typed.made(*text));
  };
  return is(sentence_, typed.sentence) && is(target_, typed.target) &&
         std::ranges::equal(batch_->sentences, typed.batch, is);
}

Texts tokenized(const TypedTexts& typed, const Texts& known) {
  return known.are_of(typed) ? known : Texts(typed, known);
}

}  // namespace headscope
