#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/tasks/grammar.h"

namespace headscope {

inline constexpr std::size_t most_words_with_evidence = 256;

/// For each word of a sentence, if it is a pronoun, the rows of the nouns that it may stand for, by what the
/// grammar's tables say of words, in any sentence, also one that no frame makes:
/// - the nouns whose pronoun it may be, but none of the pronoun's own clause;
/// - of these, the one for which a frame decides wherever it stands in the sentence (decided_nouns());
/// - or else those of which can be said what is said of the pronoun, unless that is none.
/// Empty for texts of more than `most_words_with_evidence` words, in which a pronoun could stand for too many
/// nouns.
std::vector<std::vector<int>> possible_nouns(const Grammar& grammar, std::span<const int> words);

}  // namespace headscope
