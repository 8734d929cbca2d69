// Walks through lessons: right and wrong answers, help, smooth changes, and the findings of a check.
#include "core/lesson/walk.h"

#include <gtest/gtest.h>

#include "core/engine/engine.h"
#include "core/lesson/read_lesson.h"
#include "core/session/action.h"
#include "tests/unit/lesson/reading.h"

namespace headscope {
namespace {

Result<LessonScene> scene(const std::string& words, const LessonScene& before) {
  Session session = before.session;
  if (words.find("causal") != std::string::npos) session.attention.mask.causal = true;
  if (words.find("sharp") != std::string::npos) session.attention.temperature = 0.1F;
  return session;
}

std::shared_ptr<const Lesson> lesson_of(const std::string& question, const std::string& before = "") {
  const auto lesson =
      read_lesson("mine", "# A\n## B\n" + before + "```ask\nDo it.\n" + question + "\n```\n## C\n", scene);
  EXPECT_TRUE(lesson) << lesson.error().message;
  return std::make_shared<const Lesson>(std::move(*lesson));
}

std::vector<std::string> mistakes(const Lesson& lesson) {
  Engine engine;
  return lint_lesson(lesson, [&](const Session& session) { return engine.compute(request_of(session)); });
}

TEST(LessonWalk, NoticesRightAndWrongAnswers) {
  LessonWalk walk = started(lesson_of(
      "expect: setting attention.causal = on\nwrong: setting attention.scale = off -> no\nreveal: so"));
  Session session = default_session();
  walk = observed(walk, default_session(), {session});
  EXPECT_FALSE(walk.here().is_right);
  EXPECT_FALSE(walk.wrong);
  session.attention.scale = false;
  walk = observed(walk, default_session(), {session});
  EXPECT_EQ(walk.wrong, 0U);
  session.attention.mask.causal = true;
  walk = observed(walk, default_session(), {session});
  EXPECT_TRUE(walk.here().is_right);
  EXPECT_FALSE(walk.wrong);
  session.attention.mask.causal = false;
  walk = observed(at_step(at_step(walk, 7), 0), default_session(), {session});
  EXPECT_TRUE(walk.here().is_right) << "an answer stays";
}

/// A wrong choice is answered even if the lesson does not foresee it; a text that is being typed is not.
TEST(LessonWalk, NoticesEveryWrongChoice) {
  LessonWalk walk = started(lesson_of("expect: head = 0.2 and setting sentence contains wide\nreveal: so"));
  Session session = default_session();
  EXPECT_FALSE(observed(walk, default_session(), {session}).is_attempted);
  session.sentence = "wi";
  EXPECT_FALSE(observed(walk, default_session(), {session}).is_attempted);
  session.selection.head = 1;
  EXPECT_TRUE(observed(walk, default_session(), {session}).is_attempted);
  session.selection.head = 2;
  EXPECT_FALSE(observed(walk, default_session(), {session}).is_attempted) << "half of it is right";
  session.sentence = "wide";
  walk = observed(walk, default_session(), {session});
  EXPECT_FALSE(walk.is_attempted);
  EXPECT_TRUE(walk.here().is_right);
}

TEST(LessonWalk, ANumberOnItsWayIsNoAnswer) {
  const LessonWalk walk = started(lesson_of("expect: setting decoding.step = 8\nreveal: so"));
  Session before = default_session();
  before.decoding.step = 5;
  const auto is_attempted = [&](int step) {
    Session now = before;
    now.decoding.step = step;
    return observed(walk, before, {now}).is_attempted;
  };
  EXPECT_FALSE(is_attempted(5));
  EXPECT_FALSE(is_attempted(6));
  EXPECT_FALSE(is_attempted(7));
  EXPECT_FALSE(is_attempted(8));
  EXPECT_TRUE(is_attempted(9)) << "too far";
  EXPECT_TRUE(is_attempted(4)) << "the wrong way";
  Session now = before;
  now.decoding.step = 7;
  EXPECT_TRUE(observed(walk, before, {now}, &before).is_attempted) << "a jump ends at its number";
  Session last = before;
  last.decoding.step = 6;
  EXPECT_FALSE(observed(walk, before, {now}, &last).is_attempted) << "the next step may follow";
}

TEST(LessonWalk, ALimitThatIsReachedIsOnTheWayToWhatIsBeyondIt) {
  const LessonWalk walk = started(lesson_of("expect: setting attention.temperature > 5\nreveal: so"));
  const auto is_attempted = [&](float from, float to) {
    Session before = default_session();
    before.attention.temperature = from;
    Session now = before;
    now.attention.temperature = to;
    return observed(walk, before, {now}, &before).is_attempted;
  };
  EXPECT_FALSE(is_attempted(1.0F, 4.9F));
  EXPECT_FALSE(is_attempted(1.0F, 5.0F));
  EXPECT_TRUE(is_attempted(1.0F, 0.5F)) << "the wrong way";
  EXPECT_TRUE(is_attempted(8.0F, 5.0F)) << "it was beyond the limit before";
}

TEST(LessonWalk, WhatWasRevealedIsNotTheLearnersAnswer) {
  LessonWalk walk = started(lesson_of("expect: setting attention.causal = on\nreveal: so"));
  walk.answered[0].is_revealed = true;
  Session session = default_session();
  session.attention.mask.causal = true;
  EXPECT_FALSE(observed(walk, default_session(), {session}).here().is_right);
}

TEST(LessonWalk, PassesThroughDecimalsOfAttentionOnly) {
  const Session from = default_session();
  Session to = from;
  EXPECT_FALSE(can_animate(from, to)) << "there is nowhere to go";
  to.attention.temperature = 0.01F;
  ASSERT_TRUE(can_animate(from, to));
  Session reached = reduce(from, ChangeSettings{interpolated_changes(from, to, 0.5)});
  EXPECT_NEAR(reached.attention.temperature, 0.1F, 1e-5F) << "half of the way from 1 to 0.01, by factors";
  reached = reduce(reached, ChangeSettings{interpolated_changes(from, to, 1.0)});
  EXPECT_EQ(reached.attention, to.attention);
  to.sentence = "Another";
  EXPECT_FALSE(can_animate(from, to));
}

TEST(LessonCheck, FindsNothingInAGoodLesson) {
  EXPECT_EQ(mistakes(*lesson_of("expect: setting attention.causal = on\nreveal: so\nshow: causal",
                                "```focus\ncell it animal\nhead 0.3\ncontrol attention.causal\n```\n")),
            std::vector<std::string>());
}

TEST(LessonCheck, FindsWhatDoesNotHold) {
  const auto answered = mistakes(*lesson_of("expect: setting attention.causal = off\nreveal: so"));
  ASSERT_EQ(answered.size(), 1U);
  EXPECT_EQ(answered[0], "line 3: the question is answered before anything was done");
  const auto not_shown =
      mistakes(*lesson_of("expect: setting attention.causal = on\nreveal: so\nshow: sharp"));
  ASSERT_EQ(not_shown.size(), 1U);
  EXPECT_EQ(not_shown[0], "line 3: what “show:” shows is not what is expected");
  const auto told = mistakes(*lesson_of(
      "expect: setting attention.causal = on\nwrong: setting attention.causal = off -> no\nreveal: so"));
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0], "line 3: a wrong answer is told before anything was done");
  const auto untrue = mistakes(*lesson_of("expect: setting attention.causal = on\nreveal: so",
                                          "```holds\nrow = it\nweights(0.0, it, animal) > 2\n```\n"));
  ASSERT_EQ(untrue.size(), 1U);
  EXPECT_EQ(untrue[0], "line 5: “weights(0.0, it, animal) > 2” does not hold in the scene");
  const auto elsewhere = mistakes(
      *lesson_of("expect: setting attention.causal = on\nreveal: so", "```focus\ncell it cat\n```\n"));
  ASSERT_EQ(elsewhere.size(), 1U);
  EXPECT_EQ(elsewhere[0], "line 4: “cell it cat” is not in the scene of the step");
}

TEST(LessonCheck, FindsWhatCannotBeAnswered) {
  struct Case {
    const char* expected;
    const char* lacking;
  };
  for (const Case& each :
       {Case{"row = cat", "cat"}, Case{"cell = it cat", "it cat"}, Case{"head = 7.0", "7.0"},
        Case{"page = haeds", "haeds"}, Case{"page = inspector", "inspector"},
        Case{"stage = wieghts", "wieghts"}, Case{"strongest(0.0, cat) = it", "cat"},
        Case{"strongest(0.0, it) = cat", "cat"}, Case{"weights(0.0, it, cat) > 0.5", "cat"},
        Case{"weights(7.0, it, animal) > 0.5", "7.0"}, Case{"probabilities(it, animal) > 2", "probabilities"},
        Case{"entropy(7.0) < 0.3", "7.0"}, Case{"row = cat and setting attention.causal = on", "cat"},
        Case{"page = haeds and setting sentence contains cat", "haeds"}}) {
    const auto found = mistakes(*lesson_of(std::string("expect: ") + each.expected + "\nreveal: so"));
    ASSERT_EQ(found.size(), 1U) << each.expected;
    EXPECT_TRUE(found[0].starts_with("line 3: the scene has no “" + std::string(each.lacking) + "”"))
        << found[0];
  }
  for (const char* possible : {"row = animal", "row contains nim", "cell = 3 it", "cell contains street",
                               "stage = output", "row = cat and setting sentence contains cat",
                               "head = 7.0 and setting architecture.heads = 8", "cover = answered"}) {
    EXPECT_EQ(mistakes(*lesson_of(std::string("expect: ") + possible + "\nreveal: so")),
              std::vector<std::string>())
        << possible;
  }
}

}  // namespace
}  // namespace headscope
