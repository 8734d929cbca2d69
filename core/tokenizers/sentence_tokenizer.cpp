#include "core/tokenizers/sentence_tokenizer.h"

#include <string>
#include <utility>

namespace headscope {
namespace {

class SentenceTokenizer : public Tokenizer {
 public:
  explicit SentenceTokenizer(std::shared_ptr<const ModelTokenizer> tokenizer)
      : tokenizer_(std::move(tokenizer)) {}

  TokenizerKind kind() const override { return TokenizerKind::model; }

  std::vector<Token> tokenize(std::string_view text) const override {
    // Without text there is no sentence, whatever the model would put around it.
    if (text.empty()) return {};
    auto encoded = tokenizer_->encode(text);
    std::vector<Token> tokens;
    if (!encoded) return tokens;
    tokens.reserve(encoded->size());
    for (ModelToken& read : *encoded) {
      Token& token = tokens.emplace_back(std::move(read.token));
      token.is_special = read.is_special;
      token.continues_word = read.continues_word;
    }
    return tokens;
  }

  std::string why_none(std::string_view text) const override {
    const auto encoded = tokenizer_->encode(text);
    return encoded ? std::string() : encoded.error().message;
  }

 private:
  std::shared_ptr<const ModelTokenizer> tokenizer_;
};

std::string id_in_brackets(int id) {
  return "[" + std::to_string(id) + "]";
}

}  // namespace

std::shared_ptr<const Tokenizer> sentence_tokenizer(std::shared_ptr<const ModelTokenizer> tokenizer) {
  return std::make_shared<const SentenceTokenizer>(std::move(tokenizer));
}

Vocabulary vocabulary_of(const ModelTokenizer& tokenizer, int n_rows) {
  std::vector<std::string> shown;
  shown.reserve(static_cast<std::size_t>(n_rows));
  for (int id = 0; id < n_rows; ++id) {
    const bool is_hole = id >= tokenizer.size() || tokenizer.piece(id).empty();
    shown.push_back(is_hole ? id_in_brackets(id) : tokenizer.shown(id));
  }
  // A tokenizer may have got a token for padding that the model has no row for.
  const int pad = tokenizer.special_ids().pad.value_or(0);
  return Vocabulary::of_pieces(std::move(shown), pad < n_rows ? pad : 0);
}

}  // namespace headscope
