#include "core/tasks/task.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/unit/tasks/drawn_examples.h"

namespace headscope {
namespace {

constexpr std::array all_kinds{TaskKind::pronouns, TaskKind::copying, TaskKind::reversing};

TEST(Task, IsFoundByItsName) {
  for (const TaskKind kind : all_kinds) {
    EXPECT_EQ(task(kind).kind(), kind);
    EXPECT_EQ(parse_task_name(task(kind).name()), kind);
    EXPECT_FALSE(task(kind).title().empty());
    EXPECT_FALSE(task(kind).summary().empty());
  }
  EXPECT_EQ(parse_task_name("pronouns"), TaskKind::pronouns);
  EXPECT_EQ(parse_task_name("copying"), TaskKind::copying);
  EXPECT_EQ(parse_task_name("reversing"), TaskKind::reversing);
  for (const char* other : {"", "Pronouns", "pronoun", "copying "})
    EXPECT_FALSE(parse_task_name(other)) << other;
}

TEST(Task, ExamplesKeepTheirPromises) {
  for (const TaskKind kind : all_kinds) {
    const Task& one = task(kind);
    std::size_t most = 0;
    for (const Split split : {Split::train, Split::held_out}) {
      for (const Example& example : draw_examples(one, split, 5000)) {
        ASSERT_EQ(violated_invariant(one, example), "") << words_of(one.vocabulary(), example.source);
        most = std::max({most, example.source.size(), example.target.size()});
      }
    }
    EXPECT_EQ(static_cast<int>(most), one.max_length()) << one.name();
  }
}

TEST(Task, TheSameStateGivesTheSameExample) {
  for (const TaskKind kind : all_kinds) {
    EXPECT_EQ(draw_examples(task(kind), Split::train, 50, 3), draw_examples(task(kind), Split::train, 50, 3));
    EXPECT_NE(draw_examples(task(kind), Split::train, 50, 3), draw_examples(task(kind), Split::train, 50, 4));
    EXPECT_NE(draw_examples(task(kind), Split::train, 50, 3),
              draw_examples(task(kind), Split::held_out, 50, 3));
  }
}

/// The bundled models are trained on these examples, so other numbers would mean other models.
TEST(Task, ExamplesAreTheSameOnEveryMachine) {
  EXPECT_EQ(fingerprint(draw_examples(task(TaskKind::pronouns), Split::train, 1000)), 3736805193734981693U);
  EXPECT_EQ(fingerprint(draw_examples(task(TaskKind::pronouns), Split::held_out, 1000)),
            17717036823596297180U);
  EXPECT_EQ(fingerprint(draw_examples(task(TaskKind::copying), Split::train, 1000)), 9627972110252514508U);
  EXPECT_EQ(fingerprint(draw_examples(task(TaskKind::reversing), Split::train, 1000)), 6251445475674056766U);
}

/// The pronouns task has thousands of words, of which a few forms may not occur in a hundred thousand
/// sentences.
TEST(Task, EveryWordOccurs) {
  for (const TaskKind kind : all_kinds) {
    const Task& one = task(kind);
    std::vector<bool> occurs(static_cast<std::size_t>(one.vocabulary().size()));
    if (one.vocabulary().pad() >= 0) occurs[static_cast<std::size_t>(one.vocabulary().pad())] = true;
    for (const Example& example :
         draw_examples(one, Split::train, kind == TaskKind::pronouns ? 100000 : 20000)) {
      for (const std::vector<int>* ids : {&example.source, &example.target, &example.expected})
        for (const int id : *ids)
          if (id >= 0) occurs[static_cast<std::size_t>(id)] = true;
    }
    std::string missing;
    int n_missing = 0;
    for (int id = 0; id < one.vocabulary().size(); ++id) {
      if (occurs[static_cast<std::size_t>(id)]) continue;
      ++n_missing;
      missing += one.vocabulary().word(id) + " ";
    }
    EXPECT_LE(n_missing, kind == TaskKind::pronouns ? one.vocabulary().size() / 50 : 0) << missing;
  }
}

TEST(Task, ExampleSentencesAreShortAndMostlyKnown) {
  for (const TaskKind kind : all_kinds) {
    const Task& one = task(kind);
    EXPECT_GE(one.example_sentences().size(), 5U);
    for (const std::string& sentence : one.example_sentences()) {
      const std::vector<Token> tokens = tokenize(sentence, TokenizerKind::word);
      EXPECT_LE(static_cast<int>(tokens.size()), one.max_length()) << sentence;
      for (const Token& token : tokens)
        EXPECT_TRUE(one.vocabulary().knows(token) || token.lookup == "zorp" || token.lookup == "blick")
            << sentence << ": " << token.text;
    }
  }
}

}  // namespace
}  // namespace headscope
