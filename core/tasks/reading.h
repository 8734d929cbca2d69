#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/tasks/grammar.h"

namespace headscope {

/// Returns for each word of a sentence, given as ids of the grammar's words, the row of the noun that it
/// stands for. It is −1 for words that are not pronouns, and for pronouns that no frame of the grammar
/// explains or about which two frames disagree. If no frame makes the sentence, it is −1 everywhere.
std::vector<int> antecedents(const Grammar& grammar, std::span<const int> words);

inline constexpr std::size_t most_words_with_evidence = 256;

/// Returns for each pronoun of a sentence the rows of the nouns that it may stand for, and an empty list for
/// every other word. The result follows from what the grammar's tables say about words, in any sentence, even
/// one that no frame makes:
/// - the nouns that the pronoun may agree with, except those of its own clause;
/// - of these, only the one for which a frame decides, wherever the frame is in the sentence
///   ;
/// - if no frame decides, only those to which what is said of the pronoun can apply, unless there are none.
///
/// Empty lists for texts of more than `most_words_with_evidence` words, in which a pronoun could stand for
/// too many nouns.
std::vector<std::vector<int>> possible_nouns(const Grammar& grammar, std::span<const int> words);

}  // namespace headscope
