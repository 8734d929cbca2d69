#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/tasks/task.h"

namespace headscope {

/// Returns the task of learning what every pronoun stands for, which the rest of the sentence decides, and
/// the words for blanks.
const Task& pronouns_task();

/// A sentence in which one word decides what its only pronoun, "it", stands for.
struct MinimalPair {
  std::string text;
  std::string right, wrong;  ///< The two nouns as they appear in the text.
  std::string pronoun;
};

/// Returns n held-out sentences that training never draws, in pairs that differ only in their last word and
/// mean different nouns: "the animal didn't cross the street because it was too tired" and "… wide"; "the
/// trophy didn't fit in the suitcase because it was too big" and "… small". In a quarter of them, one noun or
/// both are words that the vocabulary lacks and that replace those of a held-out sentence.
std::vector<MinimalPair> minimal_pairs(int n, std::uint64_t seed);

/// Words of one kind, to show what the task knows. A word of several kinds is listed in the first.
struct WordKind {
  std::string title;
  std::vector<std::string> words;
};

/// Returns all words of the vocabulary that are not special.
std::vector<WordKind> known_words();

}  // namespace headscope
