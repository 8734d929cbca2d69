#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/tokenizer.h"

namespace headscope {

/// What the sentences of a batch share.
struct BatchText {
  std::size_t padded_length = 0;  ///< in tokens, to which all are filled up: the longest one's
  std::vector<Token> words;       ///< the first token of every word, in order of appearance
  std::vector<Token> largest;     ///< of each sentence that has words, the token with the largest id
};

/// Of the tokens of its sentences.
BatchText read_batch(std::span<const std::span<const Token>> sentences);

/// Fills a sentence up to `length` with tokens that stand for nothing, “[pad]”. Their id is −1; with the
/// seed1 tokenizer, whose ids are rows of a table, 0.
void pad(std::size_t length, TokenizerKind kind, std::vector<Token>& tokens);

/// The first token of every word that a model of these sentences can predict, in order of appearance: of the
/// batch, or of `source` where the batch has none, and of `target`, which may be empty.
std::vector<Token> distinct_words(const BatchText& batch, std::span<const Token> source,
                                  std::span<const Token> target);

/// The words of a list such as “a am I student”, without repetitions: the output words of a model that was
/// given its own.
std::vector<Token> listed_words(std::string_view list);

}  // namespace headscope
