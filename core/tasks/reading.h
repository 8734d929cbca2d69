#pragma once

#include <span>
#include <vector>

#include "core/tasks/grammar.h"

namespace headscope {

/// For each word of a sentence, as ids of the grammar's words: of a pronoun the row of the noun that it
/// stands for, where the grammar's frames say so; −1 otherwise, also where two frames disagree. Sentences
/// that no frame makes have −1 everywhere.
std::vector<int> antecedents(const Grammar& grammar, std::span<const int> words);

/// The same by frames in which certain words decide, wherever in the sentence such a frame stands and
/// whatever its nouns are: "the glims, too, could not lift the plims because they were too heavy, my aunt
/// said".
std::vector<int> decided_nouns(const Grammar& grammar, std::span<const int> words);

}  // namespace headscope
