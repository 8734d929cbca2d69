// Tests that a handout keeps each step together, stays on the paper, and rings what a step points at.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/engine/engine.h"
#include "core/figure/theme.h"
#include "core/lesson/read_lesson.h"
#include "core/page/film.h"
#include "core/session/names.h"
#include "tests/unit/lesson/reading.h"
#include "tests/unit/page/page_helpers.h"

namespace headscope {
namespace {

using test::items_of;
using test::uniform_measure;

/// Makes a scene that shows the page of this name.
Result<LessonScene> page_scene(const std::string& words, const LessonScene& before) {
  Session session = before.session;
  const std::span names(names_of<PageName>);
  session.view = static_cast<PageName>(std::ranges::find(names, words) - names.begin());
  return LessonScene(session);
}

std::vector<Figure> handout(const std::string& text) {
  const auto lesson = read_lesson("mine", text, page_scene);
  EXPECT_TRUE(lesson) << lesson.error().message;
  Engine engine;
  const auto pages = handout_of(
      *lesson, [&](const Session& session) { return engine.compute(request_of(session)); },
      uniform_measure());
  EXPECT_TRUE(pages) << pages.error().message;
  return *pages;
}

/// The index of the page with a label that begins with this text, or -1.
int page_with(const std::vector<Figure>& pages, const std::string& begin) {
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const auto labels = items_of<Label>(pages[i]);
    if (std::ranges::any_of(labels, [&](const Label& label) { return label.text.starts_with(begin); }))
      return static_cast<int>(i);
  }
  return -1;
}

std::string step(int number, const std::string& page, const std::string& more = "") {
  const std::string n = std::to_string(number);
  return "## Step" + n + "\n```scene\n" + page + "\n```\nSays" + n + " it.\n" + more + "```ask\nAsks" + n +
         "?\nexpect: held > 0\nreveal: so\n```\n";
}

TEST(Handout, KeepsAStepOnOnePageWithItsQuestion) {
  std::string text = "# Mine\nAbout it.\n";
  const std::vector<std::string> shown{"explore", "explore", "heads",  "explore",
                                       "scale",   "by-hand", "explore"};
  for (std::size_t i = 0; i < shown.size(); ++i) {
    std::string more;
    for (std::size_t line = 0; line < 2 * i; ++line) more += "More words that fill a line of the paper.\n\n";
    text += step(static_cast<int>(i), shown[i], more);
  }
  const std::vector<Figure> pages = handout(text);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const int page = page_with(pages, "Says" + std::to_string(i));
    EXPECT_GE(page, 0);
    EXPECT_EQ(page_with(pages, "Asks" + std::to_string(i)), page) << i;
  }
  EXPECT_EQ(page_with(pages, "Says0"), page_with(pages, "Says1")) << "two maps beside their texts fit a page";
}

TEST(Handout, StaysOnThePaper) {
  std::string text = "# Mine\n";
  int number = 0;
  for (const std::string_view page : names_of<PageName>) {
    if (number < static_cast<int>(n_views)) text += step(number++, std::string(page));
  }
  std::string endless;
  for (int i = 0; i < 4000; ++i) endless += "words ";
  text += step(number, "explore", endless + "\n");
  for (const Figure& page : handout(text)) {
    for (const Label& label : items_of<Label>(page)) {
      EXPECT_GE(label.at.x, 0.0F) << label.text;
      EXPECT_LE(label.at.x, page.width) << label.text;
      EXPECT_GE(label.at.y, 0.0F) << label.text;
      EXPECT_LE(label.at.y, page.height) << label.text;
    }
  }
}

TEST(Handout, AQuestionLongerThanAPageKeepsItsHeadingAndItsLines) {
  std::string prompt = "Asks0 ";
  for (int i = 0; i < 4000; ++i) prompt += "words ";
  const std::vector<Figure> pages = handout("# Mine\n## Step\n```scene\nheads\n```\n```ask\n" + prompt +
                                            "?\nexpect: held > 0\nreveal: so\n```\n");
  EXPECT_GE(page_with(pages, "Your turn"), 0);
  EXPECT_EQ(page_with(pages, "Your turn"), page_with(pages, "Asks0"));
  int n_lines = 0;
  for (const Figure& page : pages) {
    for (const Line& line : items_of<Line>(page))
      n_lines += line.color == light_theme().line && line.to.x - line.from.x > 400.0F ? 1 : 0;
  }
  EXPECT_GE(n_lines, 2);
}

TEST(Handout, SaysWhichPictureIsRepeated) {
  const std::vector<Figure> pages = handout("# Mine\n" + step(0, "explore") + step(1, "heads") +
                                            step(2, "heads") + "## Step3\nNo scene.\n");
  EXPECT_EQ(page_with(pages, "The picture is that of step 2."), page_with(pages, "Asks2"));
  EXPECT_EQ(page_with(pages, "The picture is that of step 1."), -1);
}

TEST(LessonFilm, HasASlideForEachStepAndEachAnswer) {
  const auto lesson =
      read_lesson("mine", "# Mine\nAbout it.\n" + step(1, "heads") + step(2, "lines"), page_scene);
  ASSERT_TRUE(lesson) << lesson.error().message;
  const FilmSteps film =
      film_of_lesson(*lesson, [](const Session& session) { return Engine().compute(request_of(session)); });
  ASSERT_EQ(film.n, 4);
  const std::vector<std::string> says{"Says1 it.", "so", "Says2 it.", "so"};
  for (int i = 1; i <= film.n; ++i) {
    const auto slide = film.figure(i, 1.0F, uniform_measure());
    ASSERT_TRUE(slide) << slide.error().message;
    EXPECT_EQ(slide->width, 960.0F);
    EXPECT_EQ(slide->height, 540.0F);
    EXPECT_EQ(page_with({*slide}, says[static_cast<std::size_t>(i) - 1]), 0) << i;
    EXPECT_EQ(page_with({*slide}, "Asks") == 0, i % 2 == 1) << "only a question asks";
    EXPECT_GE(film.pace(i), 1.0);
  }
}

TEST(Handout, SaysWhatAStepLacks) {
  const auto lesson = read_lesson("mine", "# Mine\n## Step\n```scene\nlost\n```\nSays.\n",
                                  [](const std::string&, const LessonScene& before) -> Result<LessonScene> {
                                    LessonScene scene(before.session);
                                    scene.missing_parts = "The scene is missing";
                                    return scene;
                                  });
  ASSERT_TRUE(lesson);
  const auto pages = handout_of(
      *lesson, [](const Session&) { return failure("unused"); }, uniform_measure());
  ASSERT_TRUE(pages);
  EXPECT_EQ(page_with(*pages, "The scene is missing."), 0);
}

TEST(Handout, RingsWhatAStepPointsAt) {
  const auto rings = [](const std::string& focus) {
    const std::vector<Figure> pages = handout("# Mine\n## Step\n```scene\nexplore\n```\n" + focus);
    const auto strokes = items_of<StrokedRect>(pages.front());
    return std::ranges::count(strokes, light_theme().accent, &StrokedRect::color);
  };
  const auto none = rings("");
  EXPECT_EQ(rings("```focus\ncell it animal\n```\n"), none + 1);
  EXPECT_EQ(rings("```focus\nrow it\ncolumn animal\n```\n"), none + 2);
  EXPECT_EQ(rings("```focus\ncell it nobody\ncontrol attention.causal\n```\n"), none);
}

}  // namespace
}  // namespace headscope
