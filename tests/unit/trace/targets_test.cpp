#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/engine/engine.h"
#include "core/engine/request.h"
#include "core/session/action.h"
#include "core/session/presets.h"
#include "core/session/repair.h"
#include "core/trace/summary.h"

namespace headscope {
namespace {

TEST(CrossEntropy, IsMinusTheLogarithmOfTheProbability) {
  std::mt19937 generator(5);
  std::uniform_real_distribution<float> uniform(-30.0F, 30.0F);
  for (int round = 0; round < 200; ++round) {
    std::vector<float> logits(1 + static_cast<std::size_t>(round % 17));
    for (float& logit : logits) logit = uniform(generator);
    double sum = 0.0;
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
    for (std::size_t expected = 0; expected < logits.size(); ++expected) {
      const double probability = std::exp(static_cast<double>(logits[expected])) / sum;
      EXPECT_NEAR(cross_entropy(logits, static_cast<int>(expected)), -std::log(probability), 1e-9);
    }
  }
}

TEST(CrossEntropy, StaysFiniteWhereTheProbabilityIsNoFloat) {
  const std::vector<float> logits{0.0F, 1000.0F};
  EXPECT_DOUBLE_EQ(cross_entropy(logits, 0), 1000.0);
  EXPECT_DOUBLE_EQ(cross_entropy(logits, 1), 0.0);
}

/// A lesson about the final layer shows “am” as one of six words, and the wanted word of each position.
TEST(Targets, ALessonWantsTheNextWordsOneHot) {
  const std::vector<Preset> all = presets();
  const auto lesson = std::ranges::find(all, "I am a student", &Preset::name);
  ASSERT_NE(lesson, all.end());
  Engine engine(1);
  const auto computed = engine.compute(request_of(lesson->session));
  ASSERT_TRUE(computed) << computed.error().message;
  const Trace& trace = **computed;
  const std::vector<std::string> words{"a", "am", "I", "thanks", "student", "<eos>"};
  ASSERT_EQ(trace.vocabulary(), words);
  EXPECT_EQ(predicted_words(lesson->session), words);
  EXPECT_TRUE(trace.has({.kind = StageKind::b_logits}));

  constexpr int max_words = 24;
  const Targets targets = targets_of(trace, next_words(trace), max_words);
  EXPECT_EQ(targets.words, (std::vector{0, 1, 2, 3, 4, 5})) << "in the dictionary's order";
  EXPECT_EQ(targets.one_hot.values, (std::vector<float>{0, 0, 1, 0, 0, 0,    // I
                                                        0, 1, 0, 0, 0, 0,    // am
                                                        1, 0, 0, 0, 0, 0,    // a
                                                        0, 0, 0, 0, 1, 0,    // student
                                                        0, 0, 0, 0, 0, 1}))  // <eos>
      << "a row for each place of “[begin] I am a student”";
  for (int row = 0; row < 5; ++row) {
    double sum = 0.0;
    for (int word = 0; word < 6; ++word) sum += static_cast<double>(targets.probabilities.at(row, word));
    EXPECT_NEAR(sum, 1.0, 1e-6);
  }
}

TEST(Targets, WordsThatNobodyListedAreNotWanted) {
  Session session;
  session.architecture.stacks = Stacks::decoder;
  session.architecture.output_layer = OutputLayer::tied;
  session.sentence = "I am not a student";
  session.output_words = "student a am am";
  Engine engine(1);
  const auto trace = engine.compute(request_of(session));
  ASSERT_TRUE(trace);
  EXPECT_EQ((*trace)->vocabulary(), (std::vector<std::string>{"student", "a", "am"}));
  EXPECT_EQ(next_words(**trace), (std::vector{2, -1, 1, 0, -1}));
  session.architecture.stacks = Stacks::encoder;
  EXPECT_TRUE(next_words(**engine.compute(request_of(session))).empty()) << "an encoder writes nothing on";
}

}  // namespace
}  // namespace headscope
