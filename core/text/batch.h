#pragma once

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

}  // namespace headscope
