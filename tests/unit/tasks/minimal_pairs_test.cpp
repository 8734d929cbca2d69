#include <gtest/gtest.h>

#include <set>

#include "core/tasks/pronouns.h"
#include "core/tasks/sentence.h"
#include "core/tasks/task.h"
#include "tests/unit/tasks/drawn_examples.h"

namespace headscope {
namespace {

std::vector<std::string> lookups_in(const std::string& text) {
  std::vector<std::string> words;
  for (const Token& token : tokenize(text, TokenizerKind::word)) words.push_back(token.lookup);
  return words;
}

bool is_known(const std::string& word) {
  return task(TaskKind::pronouns).vocabulary().find(word).has_value();
}

bool means_the_first(const std::string& last_word) {
  static const std::set<std::string> of_the_first{
      "tired", "scared", "hungry",   "lazy",  "sick",  "weak",  "thirsty",    "shy",    "nervous",
      "ill",   "old",    "injured",  "bored", "hurt",  "drunk", "frightened", "sleepy", "exhausted",
      "blind", "afraid", "big",      "large", "tall",  "heavy", "huge",       "thick",  "bulky",
      "fat",   "long",   "enormous", "wide",  "broad", "high"};
  return of_the_first.contains(last_word);
}

TEST(MinimalPairs, AreTwinsThatMeanTheOtherNoun) {
  const std::vector<MinimalPair> pairs = minimal_pairs(240, 1);
  ASSERT_EQ(pairs.size(), 240U);
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    const MinimalPair& one = pairs[i];
    const MinimalPair& twin = pairs[i + 1];
    SCOPED_TRACE(one.text);
    EXPECT_EQ(one.right, twin.wrong);
    EXPECT_EQ(one.wrong, twin.right);
    std::vector<std::string> words = lookups_in(one.text);
    std::vector<std::string> others = lookups_in(twin.text);
    // A street that is long or wide can be the reason, and a trophy can be, too.
    const bool is_of_crossing = one.text.find("cross") != std::string::npos;
    const std::set<std::string> of_either{"wide", "long"};
    EXPECT_TRUE(means_the_first(words.back()));
    EXPECT_FALSE(means_the_first(others.back()) && !(is_of_crossing && of_either.contains(others.back())));
    EXPECT_TRUE(is_known(words.back()) && is_known(others.back()));
    EXPECT_EQ(words[1], one.right);
    EXPECT_EQ(one.pronoun, "it");
    for (const std::string& once : {one.right, one.wrong, one.pronoun})
      EXPECT_EQ(std::count(words.begin(), words.end(), once), 1) << once;
    words.pop_back();
    others.pop_back();
    EXPECT_EQ(words, others);
  }
}

TEST(MinimalPairs, AreHeldOut) {
  std::set<std::string> different;
  int unknown = 0;
  const std::vector<MinimalPair> pairs = minimal_pairs(400, 2);
  for (const MinimalPair& pair : pairs) {
    different.insert(pair.text);
    if (is_known(pair.right) && is_known(pair.wrong)) {
      EXPECT_EQ(split_of_sentence(pair.text), Split::held_out) << pair.text;
    } else {
      ++unknown;
    }
  }
  EXPECT_EQ(unknown, 100);
  EXPECT_GT(different.size(), 350U);
  std::string learned;
  const Task& pronouns = task(TaskKind::pronouns);
  for (const Example& example : draw_examples(pronouns, Split::train, 20000))
    learned += words_of(pronouns.vocabulary(), example.source) + "\n";
  for (const MinimalPair& pair : pairs) EXPECT_EQ(learned.find(pair.text), std::string::npos) << pair.text;
}

TEST(MinimalPairs, FollowFromTheirSeed) {
  const auto texts = [](int n, std::uint64_t seed) {
    std::vector<std::string> all;
    for (const MinimalPair& pair : minimal_pairs(n, seed)) all.push_back(pair.text);
    return all;
  };
  EXPECT_EQ(texts(40, 3), texts(40, 3));
  EXPECT_NE(texts(40, 3), texts(40, 4));
  const std::vector<std::string> more = texts(40, 3);
  EXPECT_EQ(texts(7, 3), std::vector<std::string>(more.begin(), more.begin() + 7));
  EXPECT_TRUE(texts(0, 3).empty());
  EXPECT_TRUE(texts(-1, 3).empty());
}

}  // namespace
}  // namespace headscope
