// Tests changes to single steps of a lesson's text.
#include "core/lesson/edit_lesson.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "core/lesson/lesson.h"
#include "core/lesson/read_lesson.h"
#include "tests/unit/lesson/reading.h"

namespace headscope {
namespace {

const std::string three_steps_text =
    "# Mine\n\nAbout it.\n\n## One\n\nFirst.\n\n```scene\n--heads 2\n```\n\nMore of it.\n\n## Two\n\n"
    "```\n## not a heading\n```\n\n## Three\n\nThird.";

/// Reads a lesson without opening its scenes.
Lesson without_scenes(const std::string& text) {
  const auto lesson = read_lesson("mine", text, [](const std::string&, const LessonScene& before) {
    return Result<LessonScene>(before);
  });
  EXPECT_TRUE(lesson.has_value()) << lesson.error().message << "\n" << text;
  return lesson ? *lesson : Lesson{};
}

std::vector<std::string> titles(const std::string& text) {
  std::vector<std::string> all;
  for (const LessonStep& step : without_scenes(text).steps) all.push_back(step.title);
  return all;
}

using Titles = std::vector<std::string>;

TEST(EditLesson, WordsAreWithoutTheSceneButWithAllOtherBlocks) {
  EXPECT_EQ(parse_step(three_steps_text, 0), (StepText{"One", "First.\n\n\nMore of it."}));
  EXPECT_EQ(parse_step(three_steps_text, 1), (StepText{"Two", "```\n## not a heading\n```"}));
  EXPECT_EQ(parse_step(three_steps_text, 3), StepText{});
  const StepText prompt{"Asks", "Look.\n\n```controls\nkeep lines\n```"};
  EXPECT_EQ(parse_step(with_step_text(three_steps_text, 0, prompt), 0), prompt);
}

TEST(EditLesson, AQuestionIsTakenApartAndPutTogetherAgain) {
  const StepText in_text{
      "Asks",
      "Look.\n\n```ask\nWhich **one**?\nAny?\nexpect: row = it\nwrong: row != it -> No.\n"
      "hint: Look\nclosely.\nreveal: It.\nshow: --row it\n```\n\n```controls\nkeep lines\n```"};
  const std::string text = with_step_text(three_steps_text, 0, in_text);
  const StepText words = parse_step(text, 0);
  EXPECT_EQ(words.body, "Look.\n\n\n```controls\nkeep lines\n```");
  ASSERT_TRUE(words.question);
  EXPECT_EQ(*words.question, (QuestionText{"Which **one**?\nAny?", "row = it", "Look\nclosely.", "It.",
                                           "wrong: row != it -> No.\nshow: --row it"}));
  EXPECT_EQ(with_step_text(text, 0, words), text) << "what was not changed stays as it is";
  EXPECT_EQ(without_directives("Look.\n\n```controls\nkeep lines\n```\n\n```\nq · k\n```"),
            "Look.\n\n\n```\nq · k\n```");
  StepText other = words;
  other.title = "Asked";
  const std::string again = with_step_text(text, 0, other);
  EXPECT_EQ(parse_step(again, 0), other);
  const auto question = without_scenes(again).steps[0].question;
  ASSERT_TRUE(question);
  EXPECT_EQ(plain_text(question->hint), "Look closely.");
  EXPECT_EQ(question->wrong.size(), 1U);
  const std::string twice = "```ask\nA?\n```\n\n```ask\nB?\n```";
  EXPECT_EQ(parse_step(with_step_text(text, 0, {"Two", twice}), 0), (StepText{"Two", twice}))
      << "what the form cannot show stays text";
}

TEST(EditLesson, OtherWordsKeepTheSceneAndTheOtherSteps) {
  const std::string changed = with_step_text(three_steps_text, 0, {"New", "Other *words*."});
  EXPECT_EQ(titles(changed), (Titles{"New", "Two", "Three"}));
  EXPECT_EQ(parse_step(changed, 0), (StepText{"New", "Other *words*."}));
  EXPECT_NE(changed.find("```scene\n--heads 2\n```"), std::string::npos);
  for (const std::size_t other : {1U, 2U})
    EXPECT_EQ(parse_step(changed, other), parse_step(three_steps_text, other));
  EXPECT_EQ(with_step_text(three_steps_text, 9, {"New", ""}), three_steps_text);
}

TEST(EditLesson, TheIntroductionChangesAlone) {
  EXPECT_EQ(parse_introduction(three_steps_text), (StepText{"Mine", "About it."}));
  const std::string changed = with_introduction(three_steps_text, {"Ours", "About *us*.\n\nAnd more."});
  EXPECT_EQ(parse_introduction(changed), (StepText{"Ours", "About *us*.\n\nAnd more."}));
  EXPECT_EQ(without_scenes(changed).title, "Ours");
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(parse_step(changed, i), parse_step(three_steps_text, i));
  EXPECT_EQ(without_scenes(with_introduction(three_steps_text, {" ", "Other"})).title, "Mine");
}

TEST(EditLesson, AnotherSceneReplacesTheOneOfTheStep) {
  const std::string first = with_scene_of_step(three_steps_text, 0, "new.headscope");
  EXPECT_NE(first.find("```scene\nnew.headscope\n```"), std::string::npos);
  EXPECT_EQ(first.find("--heads 2"), std::string::npos);
  const std::string second = with_scene_of_step(first, 1, "two.headscope");
  EXPECT_LT(second.find("## Two"), second.find("two.headscope"));
  EXPECT_LT(second.find("two.headscope"), second.find("## Three"));
  EXPECT_NE(second.find("new.headscope"), std::string::npos);
  EXPECT_EQ(titles(second), (Titles{"One", "Two", "Three"}));
  for (std::size_t i = 0; i < 3; ++i) {
    const StepText words = parse_step(second, i);
    EXPECT_EQ(words.title, parse_step(three_steps_text, i).title);
    EXPECT_EQ(without_scenes(second).steps[i].body, without_scenes(three_steps_text).steps[i].body);
  }
  EXPECT_EQ(with_scene_of_step(three_steps_text, 3, "x"), three_steps_text);
}

TEST(EditLesson, ANewLessonHasItsIntroductionAndOneStep) {
  const std::string text = new_lesson({"Ours", "About it."}, "'a b.headscope'");
  EXPECT_EQ(parse_introduction(text), (StepText{"Ours", "About it."}));
  EXPECT_EQ(titles(text), Titles{default_step_text.title});
  EXPECT_NE(text.find("```scene\n'a b.headscope'\n```"), std::string::npos);
  EXPECT_EQ(without_scenes(new_lesson({}, "a.headscope")).title, default_lesson_title);
}

TEST(EditLesson, NewStepsComeBeforeOthersOrLast) {
  for (const std::size_t place : {0U, 1U, 3U, 9U}) {
    const std::string text = with_new_step(three_steps_text, place, "new.headscope");
    Titles expected{"One", "Two", "Three"};
    expected.insert(expected.begin() + std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(place), 3),
                    default_step_text.title);
    EXPECT_EQ(titles(text), expected);
    EXPECT_EQ(parse_step(text, std::min<std::size_t>(place, 3)), default_step_text);
  }
}

TEST(EditLesson, StepsMoveAndAreLeftOut) {
  EXPECT_EQ(titles(with_step_moved(three_steps_text, 0, 2)), (Titles{"Two", "Three", "One"}));
  EXPECT_EQ(titles(with_step_moved(three_steps_text, 2, 0)), (Titles{"Three", "One", "Two"}));
  EXPECT_EQ(titles(with_step_moved(three_steps_text, 1, 1)), (Titles{"One", "Two", "Three"}));
  EXPECT_EQ(titles(without_step(three_steps_text, 1)), (Titles{"One", "Three"}));
  EXPECT_EQ(with_step_moved(three_steps_text, 0, 3), three_steps_text);
  EXPECT_EQ(without_step(three_steps_text, 3), three_steps_text);
}

/// The program's own lessons contain every directive.
TEST(EditLesson, TheProgramsLessonsSurviveRandomMoves) {
  std::mt19937 random(7);
  for (const EmbeddedFile& file : lesson_files()) {
    SCOPED_TRACE(file.name);
    std::string text(file.text);
    const std::size_t n = outline_of_lesson("", text).steps.size();
    std::vector<StepText> expected;
    for (std::size_t i = 0; i < n; ++i) expected.push_back(parse_step(text, i));
    for (int move = 0; move < 10; ++move) {
      const std::size_t from = random() % n;
      const std::size_t to = random() % n;
      text = with_step_moved(text, from, to);
      const StepText moved = expected[from];
      expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(from));
      expected.insert(expected.begin() + static_cast<std::ptrdiff_t>(to), moved);
      text = with_step_text(text, to, expected[to]);
    }
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(parse_step(text, i), expected[i]);
    EXPECT_EQ(without_scenes(text).steps.size(), n);
  }
}

}  // namespace
}  // namespace headscope
