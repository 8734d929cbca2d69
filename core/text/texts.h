#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/tokenizer.h"

namespace headscope {

/// A summary of the sentences of a batch.
struct BatchSummary {
  /// The length of the longest sentence in tokens, to which all are padded.
  std::size_t padded_length = 0;
  std::vector<Token> words;    ///< the first token of every word, in order of appearance
  std::vector<Token> largest;  ///< the token with the largest id of each sentence that has any tokens
};

/// Summarises the sentences of a batch.
BatchSummary summarize_batch(std::span<const std::span<const Token>> sentences);

/// Pads a sentence to `length` with “[pad]” tokens of id −1, or 0 with the seed1 tokenizer, whose ids are
/// table rows.
void pad(std::size_t length, TokenizerKind kind, std::vector<Token>& tokens);

/// The first token of every word that a model of these sentences can predict, in order of appearance: the
/// words of the batch (of `source` if the batch has none), followed by those of `target`, which may be empty.
std::vector<Token> distinct_words(const BatchSummary& batch, std::span<const Token> source,
                                  std::span<const Token> target);

/// The distinct words of a list such as “a am I student”: the output words of a model, if specified.
std::vector<Token> listed_words(std::string_view list);

/// A text and its tokens.
struct TokenizedText {
  std::string text;
  TokenizerKind tokenizer = TokenizerKind::word;
  std::vector<Token> tokens;
  /// The model's tokenizer that made the tokens. Null for built-in tokenizers.
  std::shared_ptr<const Tokenizer> model_tokenizer = nullptr;
};

/// The tokenizers of the model. Null unless the kind is TokenizerKind::model.
struct ModelTokenizers {
  std::shared_ptr<const Tokenizer> source_tokenizer, target_tokenizer;
};

/// The texts of a session or request, as typed.
struct InputTexts {
  const std::string& sentence;
  const std::string& target;
  const std::vector<std::string>& batch;
  TokenizerKind tokenizer;
  ModelTokenizers model_tokenizer = {};
};

/// The tokenized texts of a session or request, tokenized once per change. Immutable; copies share the
/// tokens. Excluded from comparisons, since the tokens follow from the texts: any two objects compare equal.
class Texts {
 public:
  Texts() = default;
  /// Tokenizes the texts, reusing tokens from `cached`.
  Texts(const InputTexts& typed, const Texts& cached);

  /// Tokens with the ids of the tokenizer, without padding.
  const std::vector<Token>& sentence() const { return sentence_->tokens; }
  const std::vector<Token>& target() const { return target_->tokens; }
  const std::vector<Token>& of_batch(int sequence) const;
  const BatchSummary& batch() const { return batch_->shared; }
  /// The tokens of the same sentence and batch, with an empty target.
  Texts without_target() const;
  bool empty() const { return sentence_ == no_text() && target_ == no_text() && batch_ == no_batch(); }
  /// Whether these are the tokens of `typed`.
  bool match(const InputTexts& typed) const;
  friend bool operator==(const Texts&, const Texts&) { return true; }

 private:
  using Shared = std::shared_ptr<const TokenizedText>;
  struct Batch {
    std::vector<Shared> sentences;
    BatchSummary shared;
  };
  static const Shared& no_text();
  static const std::shared_ptr<const Batch>& no_batch();

  Shared sentence_ = no_text();
  Shared target_ = no_text();
  std::shared_ptr<const Batch> batch_ = no_batch();
};

/// Returns `cached` if it matches; otherwise tokenizes, reusing tokens from `cached`.
Texts tokenize_texts(const InputTexts& typed, const Texts& cached);

}  // namespace headscope
