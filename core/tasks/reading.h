#pragma once

#include <span>
#include <vector>

#include "core/tasks/grammar.h"

namespace headscope {

/// Returns for each word of a sentence, given as ids of the grammar's words, the row of the noun that it
/// stands for. It is −1 for words that are not pronouns, and for pronouns that no frame of the grammar
/// explains or about which two frames disagree. If no frame makes the sentence, it is −1 everywhere.
std::vector<int> antecedents(const Grammar& grammar, std::span<const int> words);

/// Returns the same for frames in which certain words decide, wherever in the sentence such a frame occurs
/// and whatever its nouns are: "the glims, too, could not lift the plims because they were too heavy, my aunt
/// said".
std::vector<int> decided_nouns(const Grammar& grammar, std::span<const int> words);

}  // namespace headscope
