#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/tasks/reading.h"
#include "core/tasks/task.h"
#include "core/text/tokenizer.h"

namespace headscope {
namespace {

/// The words that the last token like `pronoun` may stand for.
std::set<std::string> possible_targets(const std::string& sentence, const std::string& pronoun) {
  std::vector<Token> tokens = tokenize(sentence, TokenizerKind::word);
  task(TaskKind::pronouns).vocabulary().assign_ids(tokens);
  std::vector<int> ids;
  std::size_t row = 0;
  for (const Token& token : tokens) {
    if (token.lookup == pronoun) row = ids.size();
    ids.push_back(token.id);
  }
  const auto nouns = task(TaskKind::pronouns).rows(ids, {}).possible_targets;
  EXPECT_EQ(nouns.size(), tokens.size());
  std::set<std::string> words;
  for (const int noun : nouns[row]) words.insert(tokens[static_cast<std::size_t>(noun)].lookup);
  return words;
}

using Words = std::set<std::string>;

TEST(Evidence, ThePronounLeavesItsNouns) {
  EXPECT_EQ(possible_targets("Yesterday, for once, Anna and the plumber quarrelled about him", "him"),
            Words{"plumber"});
  EXPECT_EQ(possible_targets("Yesterday Tom and the plumber quarrelled before he left", "he"),
            (Words{"tom", "plumber"}));
}

TEST(Evidence, WhatIsSaidLeavesThoseOfWhichItCanBeSaid) {
  EXPECT_EQ(possible_targets("Around noon the horse stared at the carrot because it was so thirsty", "it"),
            Words{"horse"});
  EXPECT_EQ(possible_targets("Around noon the horse stared at the carrot because it was mouldy", "it"),
            Words{"carrot"});
}

TEST(Evidence, AFrameDecidesWhereverItStandsAndWhateverItsNounsAre) {
  EXPECT_EQ(
      possible_targets(
          "My aunt said that the lawyer could not lift the chimney because it was too heavy, alas", "it"),
      Words{"chimney"});
}

TEST(Evidence, NounsOfThePronounsOwnClauseAreOut) {
  EXPECT_EQ(possible_targets("The dog barked until the cat saw it", "it"), Words{"dog"});
}

TEST(Evidence, OnlyPronounsStandForNouns) {
  EXPECT_EQ(possible_targets("The dog chased the cat", "dog"), Words{});
}

}  // namespace
}  // namespace headscope
