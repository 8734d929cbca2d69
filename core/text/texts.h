#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/text/batch.h"
#include "core/text/tokenizer.h"

namespace headscope {

/// A text and its tokens.
struct TokenizedText {
  std::string text;
  TokenizerKind tokenizer = TokenizerKind::word;
  std::vector<Token> tokens;
  std::shared_ptr<const Tokenizer> of_model = nullptr;  ///< that made them, where it is a model's
};

/// With TokenizerKind::model, those of the model; else null.
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

/// The same texts with their tokens: made in one place when a text changes, and handed on with it. Immutable;
/// copies share the tokens. They follow from the texts, so that they take no part in comparisons.
class Texts {
 public:
  Texts() = default;
  /// Tokenises what `known` has not: a text of it that is equal keeps its tokens.
  Texts(const TypedTexts& typed, const Texts& known);

  /// With the ids of the tokenizer, and without padding.
  const std::vector<Token>& sentence() const { return sentence_->tokens; }
  const std::vector<Token>& target() const { return target_->tokens; }
  const std::vector<Token>& of_batch(int sequence) const;
  const BatchText& batch() const { return batch_->shared; }
  /// Those of the same sentence and batch, with an empty target.
  Texts without_target() const;
  bool empty() const { return sentence_ == no_text() && target_ == no_text() && batch_ == no_batch(); }
  /// Whether they are the tokens of just these texts.
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

/// `known` where they are the tokens of these texts, else new ones that share with it what they can.
Texts tokenized(const TypedTexts& typed, const Texts& known);

}  // namespace headscope
