#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/tokenizer.h"

namespace headscope {

/// What the sentences of a batch share.
struct BatchText {
  /// The length in tokens to which all sentences are padded: that of the longest one.
  std::size_t padded_length = 0;
  std::vector<Token> words;    ///< the first token of every word, in order of appearance
  std::vector<Token> largest;  ///< the token with the largest id of each sentence that has any tokens
};

/// Computes this from the tokens of the sentences.
BatchText read_batch(std::span<const std::span<const Token>> sentences);

/// Appends “[pad]” tokens, which stand for nothing, until the sentence has `length` tokens. Their id is −1;
/// with the seed1 tokenizer, whose ids are rows of a table, it is 0.
void pad(std::size_t length, TokenizerKind kind, std::vector<Token>& tokens);

/// The first token of every word that a model of these sentences can predict, in order of appearance: the
/// words of the batch (of `source` if the batch has none), followed by those of `target`, which may be empty.
std::vector<Token> distinct_words(const BatchText& batch, std::span<const Token> source,
                                  std::span<const Token> target);

/// The words of a list such as “a am I student”, without repetitions. They are the output words of a model
/// that was told which words it may predict.
std::vector<Token> listed_words(std::string_view list);

/// A text and its tokens.
struct TokenizedText {
  std::string text;
  TokenizerKind tokenizer = TokenizerKind::word;
  std::vector<Token> tokens;
  /// The model's tokenizer that made the tokens. Null if they were made by a built-in tokenizer.
  std::shared_ptr<const Tokenizer> of_model = nullptr;
};

/// The tokenizers that came with the model. Both are null unless the kind is TokenizerKind::model.
struct ModelTokenizers {
  std::shared_ptr<const Tokenizer> of_source, of_target;
};

/// The texts of a session or a request, as they were typed.
struct TypedTexts {
  const std::string& sentence;
  const std::string& target;
  const std::vector<std::string>& batch;
  TokenizerKind tokenizer;
  ModelTokenizers of_model = {};
};

/// The texts of a session or a request together with their tokens, which are made in one place when a text
/// changes and are then passed on with it. Immutable; copies share the tokens. Since the tokens follow from
/// the texts, they take no part in comparisons: any two objects compare equal.
class Texts {
 public:
  Texts() = default;
  /// Tokenizes the texts that `known` does not contain. A text that it contains keeps its tokens.
  Texts(const TypedTexts& typed, const Texts& known);

  /// Tokens with the ids that the tokenizer gave them, and without padding.
  const std::vector<Token>& sentence() const { return sentence_->tokens; }
  const std::vector<Token>& target() const { return target_->tokens; }
  const std::vector<Token>& of_batch(int sequence) const;
  const BatchText& batch() const { return batch_->shared; }
  /// The tokens of the same sentence and batch, with an empty target.
  Texts without_target() const;
  bool empty() const { return sentence_ == no_text() && target_ == no_text() && batch_ == no_batch(); }
  /// Whether these are the tokens of exactly these texts.
  bool are_of(const TypedTexts& typed) const;
  friend bool operator==(const Texts&, const Texts&) { return true; }

 private:
  using Shared = std::shared_ptr<const TokenizedText>;
  struct Batch {
    std::vector<Shared> sentences;
    BatchText shared;
  };
  static const Shared& no_text();
  static const std::shared_ptr<const Batch>& no_batch();

  Shared sentence_ = no_text();
  Shared target_ = no_text();
  std::shared_ptr<const Batch> batch_ = no_batch();
};

/// Returns `known` if it holds the tokens of these texts; otherwise new tokens that share with `known` what
/// they can.
Texts tokenized(const TypedTexts& typed, const Texts& known);

}  // namespace headscope
