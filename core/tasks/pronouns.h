#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/tasks/task.h"

namespace headscope {

/// The task of resolving pronouns from context, and of filling in blanks.
const Task& pronouns_task();

/// A sentence in which one word decides the antecedent of its only pronoun, "it".
struct MinimalPair {
  std::string text;
  std::string right, wrong;  ///< The two nouns as in the text
  std::string pronoun;
};

/// Winograd pairs: n held-out sentences, in pairs that differ only in their last word and have different
/// antecedents: "the animal didn't cross the street because it was too tired" and "… wide"; "the trophy
/// didn't fit in the suitcase because it was too big" and "… small". In a quarter of them, one or both nouns
/// are replaced by unknown words.
std::vector<MinimalPair> minimal_pairs(int n, std::uint64_t seed);

/// Words of one kind, for displaying the vocabulary. A word of several kinds is listed in the first.
struct WordGroup {
  std::string title;
  std::vector<std::string> words;
};

/// All words of the vocabulary that are not special.
std::vector<WordGroup> known_words();

}  // namespace headscope
