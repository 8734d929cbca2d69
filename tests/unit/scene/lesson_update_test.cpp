// Lessons as events: what opens a scene, what leaves the session to the learner, and what undo brings back.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>

#include "core/lesson/read_lesson.h"
#include "core/scene/update.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

Result<Session> scene_of(const std::string& words, const Session& before) {
  Session session = before;
  if (words == "sharp") {
    session.attention.temperature = 0.1F;
  } else {
    session.sentence = words;
  }
  return reduce(before, OpenSession{session});
}

std::shared_ptr<const Lesson> three_steps() {
  auto lesson = read_lesson(
      "mine",
      "# A\n## One\n```scene\nfirst words\n```\n## Two\n\nNo scene.\n\n```ask\nDo it.\nexpect: page = heads\nreveal: so\nshow: other words\n```\n## Three\n```scene\nsharp\n```\n",
      scene_of);
  EXPECT_TRUE(lesson) << lesson.error().message;
  return std::make_shared<const Lesson>(std::move(*lesson));
}

class LessonEvents : public testing::Test {
 protected:
  void SetUp() override { send(LessonRead{three_steps()}); }
  void send(const Event& event) {
    Update next = update(scene_, event);
    scene_ = std::move(next.scene);
    effects_ = std::move(next.effects);
  }
  Scene scene_ = start(default_session()).scene;
  Effects effects_;
};

TEST_F(LessonEvents, ALessonOpensItsFirstScene) {
  EXPECT_EQ(scene_.session().sentence, "first words");
  EXPECT_FALSE(has_left_scene(scene_));
  send(Undo{});
  EXPECT_EQ(scene_.session().sentence, default_sentence);
  ASSERT_TRUE(scene_.lesson) << "undo changes the session, not the lesson";
  EXPECT_TRUE(has_left_scene(scene_));
}

TEST_F(LessonEvents, TheUsersOwnStateIsNotReplacedWithoutAWord) {
  const auto says_so = [&] {
    return std::ranges::any_of(effects_, [](const Effect& effect) {
      const auto* said = std::get_if<Say>(&effect);
      return said != nullptr && said->message.find("Undo brings back") != std::string::npos;
    });
  };
  EXPECT_FALSE(says_so()) << "there was nothing of the user's";
  send(LeaveLesson{});
  send(Edit{SetSentence{"my own words"}});
  send(LessonRead{three_steps()});
  EXPECT_TRUE(says_so());
  send(Undo{});
  EXPECT_EQ(scene_.session().sentence, "my own words");
}

TEST_F(LessonEvents, AStepWithoutASceneLeavesTheSessionToTheLearner) {
  send(Edit{SetSentence{"my own words"}});
  send(GoToStep{1});
  EXPECT_EQ(scene_.session().sentence, "my own words");
  EXPECT_FALSE(has_left_scene(scene_));
  send(GoToStep{0});
  EXPECT_EQ(scene_.session().sentence, "first words") << "going back opens the scene";
}

TEST_F(LessonEvents, ReturningOpensTheSceneAgain) {
  send(Edit{SetSentence{"my own words"}});
  EXPECT_TRUE(has_left_scene(scene_));
  send(ReturnToLesson{});
  EXPECT_EQ(scene_.session().sentence, "first words");
  EXPECT_FALSE(has_left_scene(scene_));
}

TEST_F(LessonEvents, TheAnswerIsShownWhereTheLessonSaysHow) {
  send(GoToStep{1});
  send(RevealAnswer{});
  EXPECT_EQ(scene_.session().sentence, "other words");
  EXPECT_TRUE(scene_.lesson->walk.here().is_revealed);
  send(Edit{SetSentence{"my own words"}});
  send(ReturnToLesson{});
  EXPECT_EQ(scene_.session().sentence, "other words") << "what was revealed stays so";
}

TEST_F(LessonEvents, NumbersMoveAndTheLearnerMayTakeOver) {
  send(GoToStep{1});
  send(GoToStep{2});
  ASSERT_TRUE(scene_.lesson->motion);
  EXPECT_FLOAT_EQ(scene_.session().attention.temperature, 1.0F);
  send(LessonMoved{0.5});
  EXPECT_NEAR(scene_.session().attention.temperature, 0.316F, 1e-3F);
  send(Edit{SetSentence{"my own words"}});
  EXPECT_FALSE(scene_.lesson->motion);
  send(LessonMoved{1.0});
  EXPECT_NEAR(scene_.session().attention.temperature, 0.316F, 1e-3F) << "nothing moves any more";
  send(ReturnToLesson{});
  EXPECT_FLOAT_EQ(scene_.session().attention.temperature, 0.1F);
}

TEST_F(LessonEvents, UndoEndsTheMotion) {
  send(GoToStep{1});
  send(GoToStep{2});
  send(LessonMoved{0.5});
  send(Undo{});
  const Session undone = scene_.session();
  send(LessonMoved{0.8});
  EXPECT_FALSE(scene_.lesson->motion);
  EXPECT_EQ(scene_.session(), undone);
}

TEST_F(LessonEvents, WithoutALessonTheyDoNothing) {
  send(LeaveLesson{});
  const Session before = scene_.session();
  for (const Event& event :
       {Event(GoToStep{1}), Event(ReturnToLesson{}), Event(TakeHint{}), Event(RevealAnswer{}),
        Event(LessonMoved{1.0}), Event(LessonObserved{begun(three_steps())})}) {
    send(event);
    EXPECT_EQ(scene_.session(), before);
    EXPECT_FALSE(scene_.lesson);
    EXPECT_TRUE(effects_.empty());
  }
}

TEST_F(LessonEvents, WhatWasNoticedOfAnotherStepIsForgotten) {
  LessonWalk old = scene_.lesson->walk;
  old.answered[0].is_right = true;
  send(GoToStep{1});
  send(LessonObserved{old});
  EXPECT_EQ(scene_.lesson->walk.step, 1U);
  EXPECT_FALSE(scene_.lesson->walk.answered[0].is_right);
}

TEST_F(LessonEvents, FilesAreReadAndWrittenAsEffects) {
  send(OpenLesson{"other.md", 3});
  ASSERT_EQ(effects_.size(), 1U);
  EXPECT_EQ(std::get<ReadLesson>(effects_.front()).step, 3U);
  send(BeginLesson{"here", {"Mine", ""}});
  ASSERT_EQ(effects_.size(), 1U);
  EXPECT_EQ(std::get<WriteNewLesson>(effects_.front()).session, scene_.session());
  for (const Event& event : {Event(ChangeLesson{"# Mine", 0}), Event(AddStep{}), Event(ShowInStep{})}) {
    send(event);
    EXPECT_TRUE(effects_.empty()) << "the program's own lessons cannot be changed";
  }
  Lesson own = *scene_.lesson->walk.lesson;
  own.file = "mine.md";
  own.text = "# Before";
  scene_.lesson->walk.lesson = std::make_shared<const Lesson>(std::move(own));
  send(ChangeLesson{"# Mine", 2});
  ASSERT_EQ(effects_.size(), 1U);
  const auto& written = std::get<WriteLesson>(effects_.front());
  EXPECT_EQ(written.file, "mine.md");
  EXPECT_EQ(written.before, "# Before");
  EXPECT_EQ(written.after, "# Mine");
  EXPECT_EQ(written.step, 2U);
  send(ChangeLesson{"# Mine", 2});
  EXPECT_TRUE(effects_.empty()) << "the file is still being written";
  for (const bool is_new : {true, false}) {
    send(FileRefused{"the disk is full"});
    send(is_new ? Event(AddStep{}) : Event(ShowInStep{}));
    ASSERT_EQ(effects_.size(), 1U);
    const auto& step = std::get<WriteStep>(effects_.front());
    EXPECT_EQ(step.before, "# Before");
    EXPECT_EQ(step.is_new, is_new);
    EXPECT_EQ(step.step, is_new ? 1U : 0U) << "a new step comes after the present one";
    EXPECT_EQ(step.session, scene_.session());
  }
}

/// What update() has asked to write into the lesson's file. Empty if nothing.
std::string written_text(const Effects& effects) {
  for (const Effect& effect : effects)
    if (const auto* written = std::get_if<WriteLesson>(&effect)) return written->after;
  return "";
}

TEST_F(LessonEvents, UndoTakesBackChangesOfAnAuthorsLessonBeforeThoseOfTheSession) {
  const auto version = [](const std::string& text) {
    Lesson lesson = *three_steps();
    lesson.file = "mine.md";
    lesson.text = text;
    return std::make_shared<const Lesson>(std::move(lesson));
  };
  const auto write = [&](const std::string& text) { send(LessonRead{version(text), 1, true}); };
  send(LessonRead{version("a"), 0});
  EXPECT_TRUE(scene_.lesson->past.empty());
  write("b");
  write("c");
  const auto undo_to = [&](const std::string& text, const Event& event) {
    send(event);
    EXPECT_EQ(written_text(effects_), text);
    write(text);
  };
  undo_to("b", Undo{});
  undo_to("a", Undo{});
  EXPECT_TRUE(scene_.lesson->past.empty());
  undo_to("b", Redo{});
  EXPECT_EQ(scene_.lesson->past.size(), 1U);
  EXPECT_EQ(scene_.lesson->future.size(), 1U);
  // What was done to the session since then is undone first.
  send(Edit{SetSentence{"of the author"}});
  EXPECT_TRUE(can_undo(scene_));
  send(Undo{});
  EXPECT_EQ(written_text(effects_), "");
  EXPECT_FALSE(has_left_scene(scene_));
  undo_to("a", Undo{});
  // A new change has no future, and a file that was read anew has neither.
  write("d");
  EXPECT_TRUE(scene_.lesson->future.empty());
  send(LessonRead{version("e"), 0});
  EXPECT_TRUE(scene_.lesson->past.empty());
}

TEST_F(LessonEvents, WhatAStepLocksStaysFromWhereverItIsChanged) {
  auto lesson = read_lesson(
      "mine", "# A\n## One\n```controls\nlock attention.causal\nhide attention.temperature\n```\n## Two\n",
      scene_of);
  ASSERT_TRUE(lesson) << lesson.error().message;
  send(LessonRead{std::make_shared<const Lesson>(std::move(*lesson))});
  const Session before = scene_.session();
  for (const ChangeSettings& change :
       {set_to("attention.causal", true), set_to("attention.temperature", 2.0)}) {
    send(Edit{change});
    EXPECT_EQ(scene_.session(), before);
    EXPECT_TRUE(std::ranges::any_of(effects_, [](const Effect& effect) {
      const auto* said = std::get_if<Say>(&effect);
      return said != nullptr && said->message.find("keeps this setting") != std::string::npos;
    }));
  }
  send(GoToStep{1});
  send(Edit{set_to("attention.causal", true)});
  EXPECT_TRUE(scene_.session().attention.mask.causal);
}

}  // namespace
}  // namespace headscope
