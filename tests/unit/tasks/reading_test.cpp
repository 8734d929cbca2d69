#include "core/tasks/reading.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/tasks/pronouns.h"
#include "core/tasks/sentence.h"

namespace headscope {
namespace {

std::vector<int> ids_of(const Vocabulary& vocabulary, const std::string& sentence) {
  std::vector<Token> tokens = tokenize(sentence, TokenizerKind::word);
  vocabulary.assign_ids(tokens);
  std::vector<int> ids;
  for (const Token& token : tokens) ids.push_back(token.id);
  return ids;
}

/// The word that a pronoun of a sentence stands for, or "" if nobody could tell.
std::string meaning(const std::string& sentence, const std::string& pronoun) {
  const Task& pronouns = task(TaskKind::pronouns);
  const std::vector<int> ids = ids_of(pronouns.vocabulary(), sentence);
  const std::vector<int> expected = pronouns.rows(ids, {}).expected;
  const auto at = std::find(ids.begin(), ids.end(), *pronouns.vocabulary().find(pronoun)) - ids.begin();
  const int id = expected[static_cast<std::size_t>(at)];
  return id < 0 ? "" : pronouns.vocabulary().word(id);
}

TEST(ReadingLong, UnderstandsEverySentenceThatTheGrammarMakes) {
  const Grammar grammar = compile_grammar();
  RandomStream random(7);
  int n_pronouns = 0;
  int n_understood = 0;
  for (int i = 0; i < 3000; ++i) {
    const Sentence sentence = draw_sentence(grammar, random);
    if (sentence.is_ambiguous) continue;
    const std::vector<int> rows = antecedents(grammar, sentence.words);
    ASSERT_EQ(rows.size(), sentence.words.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (sentence.antecedent_rows[row] < 0) {
        EXPECT_EQ(rows[row], -1);
        continue;
      }
      ++n_pronouns;
      if (rows[row] < 0) continue;
      ++n_understood;
      EXPECT_EQ(rows[row], sentence.antecedent_rows[row])
          << sentence.frame->text << ": " << canonical_text(grammar, sentence);
    }
  }
  EXPECT_GT(n_pronouns, 1000);
  EXPECT_GT(n_understood, n_pronouns * 98 / 100);
}

TEST(Reading, OneWordDecides) {
  EXPECT_EQ(meaning("The animal didn't cross the street because it was too tired", "it"), "animal");
  EXPECT_EQ(meaning("The animal didn't cross the street because it was too wide", "it"), "street");
  EXPECT_EQ(meaning("The trophy didn't fit in the suitcase because it was too big.", "it"), "trophy");
  EXPECT_EQ(meaning("The trophy didn't fit in the suitcase because it was too small", "it"), "suitcase");
  EXPECT_EQ(meaning("The woman could not cross the river because she was too tired", "she"), "woman");
}

TEST(Reading, TakesEverydayClausesInBothOrders) {
  EXPECT_EQ(meaning("Because it was hungry, the cat ate the cheese", "it"), "cat");
  EXPECT_EQ(meaning("The tractor would not start, so the farmer kicked it", "it"), "tractor");
  EXPECT_EQ(meaning("Tom lost the ball because he was careless", "he"), "tom");
  EXPECT_EQ(meaning("Anna met Peter when he was tired", "he"), "peter");
  EXPECT_EQ(meaning("The boy's mother was angry because she had lost the keys", "she"), "mother");
  EXPECT_EQ(meaning("When the plate cracked, Lucy picked it up", "it"), "plate");
  EXPECT_EQ(meaning("The woman bought a cake and ate it", "it"), "cake");
}

TEST(Reading, SaysNothingOfWhatNobodyCouldTell) {
  EXPECT_EQ(meaning("it was what it was", "it"), "");
  EXPECT_EQ(meaning("Tom met Peter because he was tired", "he"), "") << "both are he, and both may be tired";
  EXPECT_EQ(meaning("The animal didn't cross the street because it was", "it"), "");
  EXPECT_EQ(antecedents(compile_grammar(), {}), std::vector<int>{});
}

TEST(Wanted, IsWhatDrawnExamplesWant) {
  for (const TaskKind kind : {TaskKind::copying, TaskKind::reversing}) {
    const Task& one = task(kind);
    RandomStream random(3);
    for (int i = 0; i < 200; ++i) {
      const Example example = one.draw(random, Split::held_out);
      const std::vector<int> expected = one.rows(example.source, example.target).expected;
      ASSERT_EQ(expected.size(), example.expected.size());
      for (std::size_t row = 0; row < expected.size(); ++row) {
        const bool is_scored = (example.parts[row] & 1U) != 0U;
        if (!is_scored) continue;
        EXPECT_EQ(expected[row], example.expected[row]) << one.name() << " row " << row;
      }
    }
  }
}

TEST(Wanted, TheTargetOfASourceIsWhatTheDecoderShouldWrite) {
  const Task& reversing = task(TaskKind::reversing);
  EXPECT_EQ(reversing.target_of("cat moon egg"), "[begin] egg moon cat");
  EXPECT_EQ(task(TaskKind::copying).target_of("cat moon"), "");
  const Vocabulary& words = reversing.vocabulary();
  const auto expected =
      reversing.rows(ids_of(words, "cat moon egg"), ids_of(words, "[begin] egg moon cat")).expected;
  EXPECT_EQ(expected,
            (std::vector<int>{*words.find("egg"), *words.find("moon"), *words.find("cat"), words.end()}));
}

}  // namespace
}  // namespace headscope
