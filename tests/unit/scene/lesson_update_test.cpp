// Tests lessons as events: what opens a scene, what leaves the session to the learner, and what undo
// restores.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>

#include "core/lesson/read_lesson.h"
#include "core/scene/update.h"
#include "core/session/settings.h"
#include "tests/unit/lesson/reading.h"

namespace headscope {
namespace {

Result<LessonScene> scene_of(const std::string& words, const LessonScene& before) {
  Session session = before.session;
  if (words == "sharp") {
    session.attention.temperature = 0.1F;
  } else {
    session.sentence = words;
  }
  return LessonScene(reduce(before.session, OpenSession{session}));
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
  EXPECT_FALSE(has_changed_scene(scene_));
  send(SceneOrder::undo);
  EXPECT_EQ(scene_.session().sentence, default_sentence);
  ASSERT_TRUE(scene_.lesson) << "undo changes the session, not the lesson";
  EXPECT_TRUE(has_changed_scene(scene_));
}

TEST_F(LessonEvents, TheUsersOwnStateIsNotReplacedWithoutAWord) {
  const auto says_so = [&] {
    return std::ranges::any_of(effects_, [](const Effect& effect) {
      const auto* said = std::get_if<ShowMessage>(&effect);
      return said != nullptr && said->message.find("Undo brings back") != std::string::npos;
    });
  };
  EXPECT_FALSE(says_so()) << "there was nothing of the user's";
  send(SceneOrder::close_lesson);
  send(Edit{SetSentence{"my own words"}});
  send(LessonRead{three_steps()});
  EXPECT_TRUE(says_so());
  send(SceneOrder::undo);
  EXPECT_EQ(scene_.session().sentence, "my own words");
}

TEST_F(LessonEvents, TheNextStartOpensWhatWasThereBeforeTheLesson) {
  const auto sentence_kept = [&] { return session_to_save(scene_).sentence; };
  EXPECT_EQ(sentence_kept(), default_sentence);
  send(GoToStep{2});
  send(LessonRead{three_steps()});  // a second lesson after the first
  EXPECT_EQ(sentence_kept(), default_sentence);
  send(SceneOrder::close_lesson);
  EXPECT_EQ(scene_.session().sentence, default_sentence) << "what was there before comes back";
  EXPECT_EQ(session_to_save(scene_), scene_.session());
  send(SceneOrder::undo);
  EXPECT_EQ(scene_.session().sentence, "first words") << "undo goes back to the lesson's last picture";
}

TEST_F(LessonEvents, ClosingBringsBackWhatOnlyDiffersInADecimal) {
  Session before = scene_.session();
  send(SceneOrder::close_lesson);
  send(Edit{ChangeSettings{{{"attention.temperature", 0.5}}}});
  before = scene_.session();
  send(LessonRead{three_steps()});
  ASSERT_NE(scene_.session(), before);
  send(SceneOrder::close_lesson);
  EXPECT_EQ(scene_.session(), before);
  EXPECT_FALSE(scene_.lesson);
}

TEST_F(LessonEvents, ASentenceOfOnesOwnIsKeptThoughALessonIsOpen) {
  send(Edit{SetSentence{"my own words"}});
  EXPECT_EQ(session_to_save(scene_).sentence, "my own words");
  send(LessonRead{three_steps()});
  EXPECT_EQ(session_to_save(scene_).sentence, "my own words") << "another lesson takes nothing away";
  send(SceneOrder::undo);
  send(SceneOrder::close_lesson);
  EXPECT_EQ(session_to_save(scene_).sentence, "my own words");
  send(Edit{SetSentence{"other words"}});
  send(LessonRead{three_steps()});
  EXPECT_EQ(session_to_save(scene_).sentence, "other words") << "it was there before this lesson";
}

TEST_F(LessonEvents, NumbersAndAThemeThatWereChosenInALessonAreKept) {
  send(Edit{set_to("picture.theme", std::string("dark"))});
  EXPECT_EQ(session_to_save(scene_).sentence, default_sentence);
  EXPECT_EQ(session_to_save(scene_).picture.theme, ThemeName::dark);
  send(Edit{SetGiven{"encoder.input", OwnedMatrix(2, 4)}});
  EXPECT_EQ(session_to_save(scene_), scene_.session());
}

TEST_F(LessonEvents, AStepWithoutASceneLeavesTheSessionToTheLearner) {
  send(Edit{SetSentence{"my own words"}});
  send(GoToStep{1});
  EXPECT_EQ(scene_.session().sentence, "my own words");
  EXPECT_FALSE(has_changed_scene(scene_));
  send(GoToStep{0});
  EXPECT_EQ(scene_.session().sentence, "first words") << "going back opens the scene";
}

TEST_F(LessonEvents, ReturningOpensTheSceneAgain) {
  send(Edit{SetSentence{"my own words"}});
  EXPECT_TRUE(has_changed_scene(scene_));
  send(SceneOrder::restore_step_scene);
  EXPECT_EQ(scene_.session().sentence, "first words");
  EXPECT_FALSE(has_changed_scene(scene_));
}

TEST_F(LessonEvents, TheAnswerIsShownWhereTheLessonSaysHow) {
  send(GoToStep{1});
  send(SceneOrder::reveal_answer);
  EXPECT_EQ(scene_.session().sentence, "other words");
  EXPECT_TRUE(scene_.lesson->walk.here().is_revealed);
  send(Edit{SetSentence{"my own words"}});
  send(SceneOrder::restore_step_scene);
  EXPECT_EQ(scene_.session().sentence, "other words") << "what was revealed stays so";
}

TEST_F(LessonEvents, WhatWasFoundIsNotCoveredAgain) {
  auto lesson = *three_steps();
  lesson.steps[0].session.cover.stage = StageId{};
  lesson.steps[0].session.cover.all = true;
  lesson.steps[0].question = lesson.steps[1].question;
  lesson.steps[0].question->shown.reset();
  send(LessonRead{std::make_shared<const Lesson>(lesson)});
  ASSERT_TRUE(scene_.session().cover.stage);
  send(GoToStep{2});
  send(GoToStep{0});
  EXPECT_TRUE(scene_.session().cover.stage) << "nothing was found yet";
  scene_.lesson->walk.answered[0].is_right = true;
  send(GoToStep{2});
  send(GoToStep{0});
  EXPECT_FALSE(scene_.session().cover.stage);
  send(SceneOrder::restore_step_scene);
  EXPECT_FALSE(scene_.session().cover.stage);
}

TEST_F(LessonEvents, WhatTheNextStepAsksForStaysCovered) {
  auto lesson = *three_steps();
  for (const std::size_t i : {0, 1}) {
    lesson.steps[i].session = lesson.steps[0].session;
    lesson.steps[i].session.cover.all = true;
    lesson.steps[i].session.cover.stage = StageId{.kind = i == 0 ? StageKind::scaled : StageKind::weights};
    lesson.steps[i].question = three_steps()->steps[1].question;
    lesson.steps[i].question->shown.reset();
  }
  send(LessonRead{std::make_shared<const Lesson>(lesson)});
  scene_.lesson->walk.answered[0].is_right = true;
  send(GoToStep{1});
  send(GoToStep{0});
  EXPECT_EQ(scene_.session().cover, lesson.steps[1].session.cover);
  send(GoToStep{1});
  scene_.lesson->walk.answered[1].is_right = true;
  send(GoToStep{0});
  EXPECT_FALSE(scene_.session().cover.stage);
}

TEST_F(LessonEvents, NumbersMoveAndTheLearnerMayTakeOver) {
  send(GoToStep{1});
  send(GoToStep{2});
  ASSERT_TRUE(scene_.lesson->motion);
  EXPECT_FLOAT_EQ(scene_.session().attention.temperature, 1.0F);
  send(LessonAnimated{0.5});
  EXPECT_NEAR(scene_.session().attention.temperature, 0.316F, 1e-3F);
  send(Edit{SetSentence{"my own words"}});
  EXPECT_FALSE(scene_.lesson->motion);
  send(LessonAnimated{1.0});
  EXPECT_NEAR(scene_.session().attention.temperature, 0.316F, 1e-3F) << "nothing moves any more";
  send(SceneOrder::restore_step_scene);
  EXPECT_FLOAT_EQ(scene_.session().attention.temperature, 0.1F);
}

TEST_F(LessonEvents, UndoEndsTheMotion) {
  send(GoToStep{1});
  send(GoToStep{2});
  send(LessonAnimated{0.5});
  send(SceneOrder::undo);
  const Session undone = scene_.session();
  send(LessonAnimated{0.8});
  EXPECT_FALSE(scene_.lesson->motion);
  EXPECT_EQ(scene_.session(), undone);
}

TEST_F(LessonEvents, WithoutALessonTheyDoNothing) {
  send(SceneOrder::close_lesson);
  const Session before = scene_.session();
  for (const Event& event : {Event(GoToStep{1}), Event(SceneOrder::restore_step_scene),
                             Event(SceneOrder::show_hint), Event(SceneOrder::reveal_answer),
                             Event(LessonAnimated{1.0}), Event(LessonObserved{started(three_steps())})}) {
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
  send(CreateLesson{"here", {"Mine", ""}});
  ASSERT_EQ(effects_.size(), 1U);
  EXPECT_EQ(std::get<WriteNewLesson>(effects_.front()).session, scene_.session());
  for (const Event& event :
       {Event(ChangeLesson{"# Mine", 0}), Event(SceneOrder::add_step), Event(SceneOrder::set_step_scene)}) {
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
  EXPECT_TRUE(std::holds_alternative<ShowMessage>(effects_.front())) << "the file is still being written";
  send(ShowMessage{"something else", true});
  send(SceneOrder::add_step);
  EXPECT_TRUE(std::ranges::none_of(effects_, [](const Effect& e) {
    return std::holds_alternative<WriteStep>(e);
  })) << "the file is still being written, whatever else is refused";
  for (const bool is_new : {true, false}) {
    send(LessonWriteFailed{"mine.md", "the disk is full"});
    send(is_new ? Event(SceneOrder::add_step) : Event(SceneOrder::set_step_scene));
    ASSERT_EQ(effects_.size(), 1U);
    const auto& step = std::get<WriteStep>(effects_.front());
    EXPECT_EQ(step.before, "# Before");
    EXPECT_EQ(step.is_new, is_new);
    EXPECT_EQ(step.step, is_new ? 1U : 0U) << "a new step comes after the present one";
    EXPECT_EQ(step.session, scene_.session());
  }
}

class AuthorsLesson : public LessonEvents {
 protected:
  void SetUp() override { send(LessonRead{version("a")}); }

  /// The learner's own lesson with this text. Its scenes are always the same.
  static std::shared_ptr<const Lesson> version(const std::string& text, const std::string& file = "mine.md") {
    Lesson lesson = *three_steps();
    lesson.file = file;
    lesson.text = text;
    lesson.steps[2].session = scene_of("third words", lesson.steps[0])->session;
    return std::make_shared<const Lesson>(std::move(lesson));
  }
  /// Writes a text and goes to a step.
  void write(const std::string& text, std::size_t step) {
    send(ChangeLesson{text, step});
    EXPECT_EQ(written_text(), text);
    send(LessonWritten{version(text), step});
  }
  /// Sends an event that leads to another version, and confirms that its text has been written.
  void send_and_write(const Event& event, std::size_t step) {
    send(event);
    const std::string text = written_text();
    ASSERT_FALSE(text.empty());
    send(LessonWritten{version(text), step});
  }
  /// The text that was to be written into the lesson's file. Empty if there was none.
  std::string written_text() const {
    for (const Effect& effect : effects_)
      if (const auto* written = std::get_if<WriteLesson>(&effect)) return written->after;
    return "";
  }
  const std::string& text() const { return scene_.lesson->walk.lesson->text; }
};

TEST_F(AuthorsLesson, ChangesAndThoseOfTheSessionAreUndoneInTheOrderInWhichTheyWereMade) {
  write("b", 0);
  send(Edit{SetSentence{"of the author"}});
  write("c", 0);
  EXPECT_EQ(scene_.session().sentence, "of the author") << "words are written beside what is shown";
  EXPECT_TRUE(has_changed_scene(scene_));
  send_and_write(SceneOrder::undo, 0);
  EXPECT_EQ(text(), "b");
  EXPECT_EQ(scene_.session().sentence, "of the author");
  send(SceneOrder::undo);
  EXPECT_EQ(written_text(), "");
  EXPECT_EQ(scene_.session().sentence, "first words");
  send_and_write(SceneOrder::undo, 0);
  EXPECT_EQ(text(), "a");
  EXPECT_TRUE(scene_.lesson->past.empty());
  send(SceneOrder::undo);
  EXPECT_EQ(written_text(), "");
  EXPECT_EQ(scene_.session().sentence, default_sentence);
}

TEST_F(AuthorsLesson, AChangeAndTheSceneThatItOpensAreUndoneTogether) {
  const History before = scene_.history;
  write("b", 2);
  EXPECT_EQ(scene_.session().sentence, "third words");
  send_and_write(SceneOrder::undo, 0);
  EXPECT_EQ(text(), "a");
  EXPECT_EQ(scene_.session(), before.present());
  EXPECT_EQ(scene_.history.past().size(), before.past().size());
  ASSERT_TRUE(can_redo(scene_));
  send_and_write(SceneOrder::redo, 2);
  EXPECT_EQ(text(), "b");
  EXPECT_TRUE(scene_.lesson->future.empty());
}

TEST_F(AuthorsLesson, ANewChangeOfEitherKindLeavesNoFuture) {
  write("b", 0);
  send_and_write(SceneOrder::undo, 0);
  EXPECT_TRUE(can_redo(scene_));
  send(Edit{SetSentence{"of the author"}});
  EXPECT_TRUE(scene_.lesson->future.empty());
  write("c", 0);
  send_and_write(SceneOrder::undo, 0);
  write("d", 0);
  EXPECT_TRUE(scene_.lesson->future.empty());
  send(Edit{SetSentence{"taken back"}});
  send(SceneOrder::undo);
  EXPECT_TRUE(can_redo(scene_));
  write("e", 0);
  EXPECT_FALSE(can_redo(scene_)) << "what was taken back before this change does not come after it";
}

TEST_F(AuthorsLesson, ReadingItAgainKeepsWhatCanBeUndoneOnlyIfNothingChanged) {
  write("b", 0);
  send(LessonRead{version("b")});
  EXPECT_EQ(scene_.lesson->past.size(), 1U);
  send(LessonRead{version("of an editor")});
  EXPECT_TRUE(scene_.lesson->past.empty());
}

TEST_F(AuthorsLesson, WhatIsWrittenTooLateOpensNothing) {
  send(ChangeLesson{"b", 0});
  send(LessonRead{version("x", "other.md")});
  send(LessonWritten{version("b")});
  EXPECT_EQ(scene_.lesson->walk.lesson->file, "other.md");
  EXPECT_FALSE(is_writing_lesson(scene_));
  send(SceneOrder::close_lesson);
  send(LessonWritten{version("b")});
  EXPECT_FALSE(scene_.lesson);
}

TEST_F(AuthorsLesson, IsEditedOnceSomebodyAsksForItOrChangesIt) {
  send(LessonRead{version("x", "given.md")});
  EXPECT_FALSE(scene_.lesson->is_edited);
  send(SceneOrder::edit_lesson);
  EXPECT_TRUE(scene_.lesson->is_edited);
  send(LessonRead{version("y", "given.md")});
  EXPECT_TRUE(scene_.lesson->is_edited) << "reading the file again changes nothing";
  send(LessonRead{version("x", "other.md")});
  EXPECT_FALSE(scene_.lesson->is_edited);
  send(SceneOrder::add_step);
  EXPECT_TRUE(scene_.lesson->is_edited);
  send(LessonRead{three_steps()});
  send(SceneOrder::edit_lesson);
  EXPECT_FALSE(scene_.lesson->is_edited) << "a lesson of the program has no file";
}

TEST_F(LessonEvents, AnAnsweredStepShowsItsAnswerAgain) {
  send(LessonRead{three_steps()});
  send(GoToStep{1});
  send(SceneOrder::reveal_answer);
  EXPECT_EQ(scene_.session().sentence, "other words");
  send(GoToStep{2});
  send(GoToStep{1});
  EXPECT_EQ(scene_.session().sentence, "other words");
  send(GoToStep{0});
  send(GoToStep{1});
  EXPECT_EQ(scene_.session().sentence, "other words") << "a step without a scene shows it, too";
  send(GoToStep{0});
  send(SceneOrder::restore_step_scene);
  EXPECT_EQ(scene_.session().sentence, "first words");
}

TEST_F(AuthorsLesson, ANewOneIsBegunOnce) {
  send(CreateLesson{"here", {"Mine", ""}});
  ASSERT_EQ(effects_.size(), 1U);
  EXPECT_TRUE(is_writing_lesson(scene_));
  send(CreateLesson{"here", {"Mine", ""}});
  EXPECT_TRUE(effects_.empty());
  const Session shown = scene_.session();
  send(LessonWritten{version("new", "here/mine.md"), 0, LessonWritten::Kind::started});
  EXPECT_EQ(scene_.lesson->walk.lesson->file, "here/mine.md");
  EXPECT_EQ(scene_.session(), shown) << "what is shown is its first step";
  EXPECT_FALSE(is_writing_lesson(scene_));
  send(CreateLesson{"here", {"Mine", ""}});
  send(LessonWriteFailed{"", "the disk is full"});
  EXPECT_FALSE(is_writing_lesson(scene_));
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
      const auto* said = std::get_if<ShowMessage>(&effect);
      return said != nullptr && said->message.find("keeps this setting") != std::string::npos;
    }));
  }
  send(GoToStep{1});
  send(Edit{set_to("attention.causal", true)});
  EXPECT_TRUE(scene_.session().attention.mask.causal);
}

}  // namespace
}  // namespace headscope
