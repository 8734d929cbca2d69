// Reads lessons, and tests that each mistake is reported with its line and with what is possible instead.
#include "core/lesson/read_lesson.h"

#include <gtest/gtest.h>

#include "core/lesson/walk.h"
#include "core/session/action.h"
#include "tests/unit/lesson/reading.h"

namespace headscope {
namespace {

/// Makes a scene whose sentence is the words of its command. The word “wrong” is refused.
Result<LessonScene> sentence_scene(const std::string& words, const LessonScene& before) {
  if (words == "wrong") return usage_error("there is no option wrong");
  Session session = before.session;
  session.sentence = words;
  return session;
}

Result<Lesson> read(const std::string& text) {
  return read_lesson("mine", text, sentence_scene);
}

std::string mistake(const std::string& text) {
  const auto lesson = read(text);
  return lesson ? "" : lesson.error().message;
}

const std::string two_steps =
    "# Title\n\nAbout *it*.\n\n## One\n\n```scene\nthe first\n```\n\nText.\n\n```focus\ncell it animal\n"
    "control attention.causal\n```\n\n```controls\nhide attention.causal\nlock architecture.heads\nkeep "
    "explore lines\n```\n\n## Two\n\n```ask\nTurn it on.\nexpect: setting attention.causal = on\n"
    "wrong: page = heads -> Not *there*.\nhint: On the left.\nreveal: The mask\nhides it.\nshow: the last\n```\n";

TEST(ReadLesson, HasStepsWithTheirScenesAndQuestions) {
  const auto lesson = read(two_steps);
  ASSERT_TRUE(lesson) << lesson.error().message;
  EXPECT_EQ(lesson->title, "Title");
  EXPECT_EQ(plain_text(lesson->summary), "About it.");
  ASSERT_EQ(lesson->steps.size(), 2U);
  const LessonStep& one = lesson->steps[0];
  EXPECT_EQ(one.title, "One");
  EXPECT_EQ(one.line, 5);
  EXPECT_TRUE(one.has_scene);
  EXPECT_EQ(one.session.sentence, "the first");
  ASSERT_EQ(one.focus.size(), 2U);
  EXPECT_EQ(one.focus[0].row, "it");
  EXPECT_EQ(one.focus[1].setting->key, "attention.causal");
  ASSERT_EQ(one.hidden.size(), 1U);
  EXPECT_EQ(one.hidden[0]->key, "attention.causal");
  ASSERT_EQ(one.locked.size(), 1U);
  EXPECT_EQ(one.locked[0]->key, "architecture.heads");
  EXPECT_EQ(one.pages, (std::vector{PageName::explore, PageName::lines}));
  EXPECT_TRUE(one.keeps(PageName::lines));
  EXPECT_FALSE(one.keeps(PageName::heads));
  const LessonStep& two = lesson->steps[1];
  EXPECT_FALSE(two.has_scene);
  EXPECT_EQ(two.session.sentence, "the first") << "a step without a scene continues that before";
  ASSERT_TRUE(two.question);
  EXPECT_EQ(plain_text(two.question->prompt), "Turn it on.");
  EXPECT_EQ(plain_text(two.question->reveal), "The mask hides it.");
  EXPECT_EQ(plain_text(two.question->wrong.front().body), "Not there.");
  EXPECT_EQ(two.question->shown->sentence, "the last");
}

TEST(ReadLesson, IsTheSameWithTheLineEndsOfWindows) {
  std::string text;
  for (const char c : two_steps) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const auto lesson = read(text);
  ASSERT_TRUE(lesson) << lesson.error().message;
  EXPECT_EQ(lesson->steps[1].question->shown->sentence, "the last");
}

TEST(ReadLesson, TellsTheLineOfAMistakeAndWhatIsPossible) {
  struct Case {
    const char* text;
    const char* message;
  };
  for (const Case& each : {
           Case{"Text\n# A\n", "line 1: this text is above the title"},
           Case{"## A\n", "the lesson has no title"},
           Case{"# A\n\nText\n", "the lesson has no steps"},
           Case{"# A\n# B\n", "line 2: a lesson has one title"},
           Case{"# A\n```scene\n```\n", "line 2: a directive belongs to a step"},
           Case{"# A\n## B\n```picture\n```\n",
                "line 3: there is no directive “picture”: a lesson has scene"},
           Case{"# A\n## B\n```scene\nx\n", "line 3: this block is not closed"},
           Case{"# A\n## B\n```\nx\n", "line 3: this formula is not closed"},
           Case{"# A\n## B\n```\nx\n```scene\ny\n```\n", "line 3: this formula is not closed"},
           Case{"# A\n## B\n```scene\nwrong\n```\n", "line 3: there is no option wrong"},
           Case{"# A\n## B\n```scene\nx\n```\n```scene\ny\n```\n", "line 6: a step has one scene"},
           Case{"# A\n## B\n```focus\nhead 1\n```\n", "line 4: “1” is no head"},
           Case{"# A\n## B\n```focus\n\neverything\n```\n", "line 5: “everything” is nothing to look at"},
           Case{"# A\n## B\n```ask\nWhat?\nreveal: x\n```\n", "the question expects nothing"},
           Case{"# A\n## B\n```ask\nWhat?\nexpect: page = heads\n```\n", "the question has no answer"},
           Case{"# A\n## B\n```ask\nexpect: page = heads\nreveal: x\n```\n", "the question has no text"},
           Case{"# A\n## B\n```ask\nWhat?\nexpect: page =\n```\n", "line 5: “page =” has no value"},
           Case{"# A\n## B\n```ask\nWhat?\nwrong: page = heads\n```\n",
                "line 5: a wrong answer is a condition"},
           Case{"# A\n## B\n```controls\nshow attention.causal\n```\n",
                "line 4: “show attention.causal” does nothing"},
           Case{"# A\n## B\n```controls\nkeep explore elsewhere\n```\n",
                "line 4: there is no page “elsewhere”"},
           Case{"# A\n## B\n```controls\nhide attention.none\n```\n",
                "line 4: there is no control for a setting"},
           Case{"# A\n## B\n\nText\n\n![x](y.png)\n", "line 6: pictures from files are not shown"},
           Case{"# A\n## B\n\n[x](../y.md)\n", "line 4: the link “../y.md” leads nowhere"},
           Case{"# A\n## B\n\n[x](file:///etc/passwd)\n", "leads nowhere"},
           Case{"# \xff\n", "not in UTF-8"},
       }) {
    EXPECT_NE(mistake(each.text).find(each.message), std::string::npos)
        << each.text << "\nsays: " << mistake(each.text);
  }
}

std::vector<std::string> mistakes(const std::string& text, const SceneReader& scene = sentence_scene) {
  return parse_lesson("mine", text, scene).mistakes;
}

TEST(ReadLesson, FindsEveryMistake) {
  const ParsedLesson reading = parse_lesson(
      "mine",
      "# A\n## B\n```scene\nwrong\n```\n```sceen\nx\n```\n```focus\nhead 1\nbell it\n```\n```focus\nhead 1.0\n## C\n```scene\nthe last\n```\n## \n```controls\nhide x\nshow y\n```\n```ask\nWhat?\nexpect: nothing\nhint: a\nhint: b\n```\n",
      sentence_scene);
  const std::vector<std::string> begin{
      "line 3: there is no option wrong",  "line 6: there is no directive “sceen”",
      "line 10: “1” is no head",           "line 11: “bell it” is nothing to look at",
      "line 13: this block is not closed", "line 19: this heading has no text",
      "line 21: there is no control",      "line 22: “show y” does nothing",
      "line 26: nothing is called",        "line 28: “hint” is given twice"};
  ASSERT_EQ(reading.mistakes.size(), begin.size());
  for (std::size_t i = 0; i < begin.size(); ++i)
    EXPECT_TRUE(reading.mistakes[i].starts_with(begin[i])) << reading.mistakes[i];
  ASSERT_EQ(reading.lesson.steps.size(), 3U);
  EXPECT_EQ(reading.lesson.steps[1].session.sentence, "the last");
  EXPECT_NE(mistake("# A\n## \n```sceen\n```\n").find(". There is 1 more"), std::string::npos);
}

TEST(ReadLesson, OneMistakeIsNotToldAsSeveral) {
  EXPECT_EQ(mistakes("Text\n## A\nText\n## B\nText\n").size(), 1U);
  EXPECT_EQ(mistakes("# \nText\n## A\nText\n").size(), 1U);
  EXPECT_EQ(mistakes("# A\n## B\n```\nx\n## C\n```scene\nx\n```\n## D\n```scene\ny\n```\n").size(), 1U);
  // A scene that continues the one before needs one that could be read.
  const SceneReader goes_on = [](const std::string& words, const LessonScene& before) -> Result<LessonScene> {
    if (!before.missing_parts.empty() && words.starts_with("+")) return before;
    if (words.starts_with("+") && before.session.sentence != "known")
      return usage_error("there is no such token");
    return sentence_scene(words, before);
  };
  EXPECT_EQ(mistakes("# A\n## B\n```scene\nwrong\n```\n## C\n```scene\n+ row\n```\n", goes_on).size(), 1U);
  EXPECT_EQ(mistakes("# A\n## B\n```scene\nother\n```\n## C\n```scene\n+ row\n```\n", goes_on).size(), 1U);
  EXPECT_EQ(mistakes("# A\n## B\n```scene\nknown\n```\n## C\n```scene\n+ row\n```\n", goes_on).size(), 0U);
}

TEST(ReadLesson, LinksLeadToTheFolderOrToTheProgram) {
  Lesson own;
  own.file = "/no/such/folder/mine.md";
  EXPECT_EQ(linked_lesson(own, "04-masks.md"), "04-masks") << "a lesson of the program";
  EXPECT_EQ(linked_lesson(own, "other.md"), "/no/such/folder/other.md");
  EXPECT_EQ(linked_lesson(own, "../other.md"), "other") << "a link leaves the folder nowhere";
  EXPECT_EQ(linked_lesson(Lesson{}, "04-masks.md"), "04-masks");
  own.file = "mine.md";
  EXPECT_EQ(linked_lesson(own, "other.md"), "./other.md") << "a lesson in the working folder";
}

TEST(ReadLesson, TheListOfMistakesHasALimit) {
  std::string many = "# A\n## B\n```controls\n";
  for (int i = 0; i < 80; ++i) many += "show x\n";
  EXPECT_EQ(mistakes(many + "```\n").size(), max_lesson_mistakes);
}

TEST(ReadLesson, RefusesWhatIsTooMuch) {
  EXPECT_NE(mistake("# A\n" + std::string(max_lesson_bytes, 'x')).find("larger than 1 MiB"),
            std::string::npos);
  std::string steps = "# A\n";
  for (std::size_t i = 0; i <= max_lesson_steps; ++i) steps += "## B\n";
  EXPECT_NE(mistake(steps).find("line 102: a lesson has at most 100 steps"), std::string::npos);
  const std::string nested = "# A\n## B\n" + std::string(10000, '>') + " x\n";
  EXPECT_NE(mistake(nested).find("nested more than 6 deep"), std::string::npos);
}

TEST(ReadLesson, AnOutlineHasTheTitleTheSummaryAndTheSteps) {
  const LessonOutline outline =
      outline_of_lesson("name", "# A title\n\nWhat it is *about*.\n\n## One\nx\n## Two\n");
  EXPECT_EQ(outline.title, "A title");
  EXPECT_EQ(plain_text(outline.summary), "What it is about.");
  EXPECT_EQ(outline.steps, (std::vector<std::string>{"One", "Two"}));
  EXPECT_EQ(outline_of_lesson("name", "no heading").title, "name");
}

TEST(Prose, KeepsStylesListsAndFormulas) {
  const auto prose =
      read_prose("A **b** *c* `d`.\n\n1. one\n2. two\n   - deep\n\n`q kᵀ / √d_k`\n\n```\nx\ny\n```\n", 1);
  ASSERT_TRUE(prose) << prose.error().message;
  ASSERT_EQ(prose->size(), 6U);
  EXPECT_TRUE((*prose)[0].spans[1].is_strong);
  EXPECT_TRUE((*prose)[0].spans[3].is_emphasised);
  EXPECT_TRUE((*prose)[0].spans[5].is_code);
  EXPECT_EQ((*prose)[2].marker, "2.");
  EXPECT_EQ((*prose)[3].marker, "•");
  EXPECT_EQ((*prose)[3].depth, 1);
  EXPECT_EQ((*prose)[4].kind, ProseBlock::Kind::formula);
  EXPECT_EQ((*prose)[5].spans[0].text, "x\ny");
}

TEST(Prose, ASmallTextDoesNotRepeatALongAddressForever) {
  const std::string address = "https://a/" + std::string(10'000, 'b');
  std::string uses;
  for (int i = 0; i < 20'000; ++i) uses += "[x] ";
  // Newer releases of md4c limit what references expand to themselves, and leave the rest as it is written.
  const auto prose = read_prose("[x]: " + address + "\n\n" + uses, 7);
  if (!prose) {
    EXPECT_TRUE(prose.error().message.starts_with("line 7: this text cannot be read: it takes too much "));
    EXPECT_TRUE(prose.error().message.ends_with(" for its size; use fewer or shorter links"));
  } else {
    std::size_t bytes = 0;
    for (const ProseBlock& block : *prose)
      for (const ProseSpan& span : block.spans) bytes += span.link.size();
    EXPECT_LT(bytes, 200 * address.size());
  }
  std::string spans;
  for (int i = 0; i < 20'000; ++i) spans += "*a*b ";
  EXPECT_FALSE(read_prose("[" + spans + "](" + address + ")", 1));
  EXPECT_TRUE(read_prose("[x]: " + address.substr(0, 100) + "\n\n" + uses, 1));
}

TEST(Prose, IsTextWhereItLooksLikeHtml) {
  const auto prose = read_prose("a <b>c</b> &amp; d &copy;", 1);
  ASSERT_TRUE(prose);
  EXPECT_EQ(plain_text(*prose), "a <b>c</b> & d &copy;");
}

TEST(ReadLesson, ABlockThatIsNotClosedDoesNotSwallowTheNextStep) {
  const std::string open = "# A\n## B\n```ask\nDo it.\nexpect: page = heads\nreveal: so\n";
  for (const char* next : {"\n## C\n", "\n```scene\nthe first\n```\n"})
    EXPECT_TRUE(mistake(open + next).starts_with("line 3: this block is not closed")) << mistake(open + next);
}

TEST(ReadLesson, APartOfAQuestionThatIsMisspeltIsNamed) {
  const std::string said =
      mistake("# A\n## B\n```ask\nDo it.\nexpect: page = heads\nhnt: left\nreveal: so\n```\n");
  EXPECT_TRUE(said.starts_with("line 6: “hnt: left” begins no part of the question")) << said;
}

TEST(ReadLesson, WhatASceneLacksIsNotedAndTheRestIsRead) {
  const SceneReader scene = [](const std::string& words, const LessonScene& before) -> Result<LessonScene> {
    if (!before.missing_parts.empty() && words == "wrong") return before;
    if (words != "lost") return sentence_scene(words, before);
    LessonScene lacking(before.session);
    lacking.missing_parts = "its model is not there";
    return lacking;
  };
  const auto lesson = read_lesson(
      "mine",
      "# A\n## B\n```scene\nthe first\n```\n## C\n```scene\nlost\n```\nText.\n```ask\nDo it.\nexpect: "
      "setting sentence contains first\nreveal: so\nshow: lost\n```\n## D\nMore.\n## E\n```scene\nwrong\n```\n## F\n```scene\n--model other\n```\n",
      scene);
  ASSERT_TRUE(lesson) << lesson.error().message;
  const LessonStep& lost = lesson->steps[1];
  EXPECT_EQ(lost.missing_parts, "its model is not there");
  EXPECT_EQ(lost.session.sentence, "the first");
  EXPECT_EQ(plain_text(lost.body), "Text.");
  EXPECT_FALSE(lost.question->shown);
  for (const std::size_t later : {2U, 3U})
    EXPECT_EQ(lesson->steps[later].missing_parts, lost.missing_parts) << "what goes on from it lacks it, too";
  EXPECT_EQ(lesson->steps[4].missing_parts, "");
  EXPECT_EQ(lesson->steps[4].session.sentence, "--model other");
  const LessonWalk walk = at_step(started(std::make_shared<const Lesson>(*lesson)), 1);
  EXPECT_FALSE(observed(walk, lost.session, {lost.session, nullptr}).here().is_right)
      << "nothing of it is on the screen";
}

}  // namespace
}  // namespace headscope
