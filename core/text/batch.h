#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/text/tokenizer.h"

namespace headscope {

/// The length in tokens that the sentences of a batch are filled up to: the longest one's.
std::size_t padded_length(std::span<const std::string> batch, TokenizerKind kind);

/// Fills a sentence up to `length` with tokens that stand for nothing, “[pad]”. Their id is −1; with the
/// seed1 tokenizer, whose ids are rows of a table, 0.
void pad(std::size_t length, TokenizerKind kind, std::vector<Token>& tokens);

/// The first token of every word that a model of these sentences can predict, in order of appearance: of the
/// batch, or of `source` where there is none, and of `target`, which may be empty.
std::vector<Token> distinct_words(std::span<const std::string> batch, TokenizerKind kind,
                                  std::span<const Token> source, std::span<const Token> target);

}  // namespace headscope
