#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/tasks/grammar.h"

namespace headscope {

/// The antecedent row of each word of a sentence, given as ids of the grammar: −1 for words other than
/// pronouns, for pronouns that no frame explains or about which frames disagree, and everywhere if no frame
/// generates the sentence.
std::vector<int> antecedents(const Grammar& grammar, std::span<const int> words);

inline constexpr std::size_t max_words_with_evidence = 256;

/// The possible antecedent rows of each pronoun of a sentence; empty for other words. Judges by the grammar
/// tables alone, so it works for any sentence, even one that no frame generates:
/// - the nouns that agree with the pronoun, except those of its own clause;
/// - of these, only the one that a frame decides for, wherever it is in the sentence;
/// - if no frame decides, those that the predicate of the pronoun can apply to, unless there are none.
///
/// All empty for texts of more than `max_words_with_evidence` words, which have too many candidates.
std::vector<std::vector<int>> possible_antecedents(const Grammar& grammar, std::span<const int> words);

}  // namespace headscope
