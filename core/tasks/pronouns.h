#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/tasks/task.h"

namespace headscope {

/// What every pronoun stands for, decided by what else the sentence says; and words for blanks.
const Task& pronouns_task();

/// A sentence in which one word decides what its only pronoun, "it", stands for.
struct MinimalPair {
  std::string text;
  std::string right, wrong;  ///< the two nouns as they stand in the text
  std::string pronoun;
};

/// n held-out sentences that training never draws, in twos that differ in their last word only and mean the
/// other noun: "the animal didn't cross the street because it was too tired" and "… wide"; "the trophy didn't
/// fit in the suitcase because it was too big" and "… small". In a quarter of them one noun or both are
/// words that the vocabulary lacks, in place of those of a held-out sentence.
std::vector<MinimalPair> minimal_pairs(int n, std::uint64_t seed);

/// Words of one kind, to show what the task knows; a word of several kinds stands in the first.
struct WordKind {
  std::string title;
  std::vector<std::string> words;
};

/// All words of the vocabulary that are not special.
std::vector<WordKind> known_words();

}  // namespace headscope
