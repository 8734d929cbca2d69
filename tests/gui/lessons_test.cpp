// Walks through each lesson in the window to its end with the answers that it expects, none of which may
// count before the learner acts. Also tests help, leaving and returning, smooth changes, and presenting.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "app/cli/lesson_command.h"
#include "app/shell/commands.h"
#include "core/lesson/lesson.h"
#include "core/session/settings.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

class Lessons : public testing::Test {
 protected:
  void open(const std::string& name, AppDriver& driver) {
    driver.app().dispatch(OpenLesson{name});
    driver.wait_until("for the lesson", [&] {
      return driver.app().scene().lesson && driver.app().scene().lesson->walk.lesson->name == name;
    });
    driver.settle();
  }
  void open(const std::string& name) { open(name, driver_); }
  const LessonWalk& walk() { return driver_.app().scene().lesson->walk; }
  void press(const char* label) {
    const std::vector<Box> found = find_text(label);
    ASSERT_FALSE(found.empty()) << label;
    driver_.click({found.back().x + 3.0F, found.back().y + 3.0F});
    driver_.settle();
  }

  /// Begins a lesson of the user's own with what is shown.
  void begin_lesson(const std::filesystem::path& folder, const StepText& introduction) {
    driver_.app().screen().export_form.folder = folder.string();
    driver_.press(CommandId::add_lesson_step);
    ASSERT_TRUE(driver_.app().screen().step_form.begins);
    EXPECT_TRUE(screen_contains("A lesson of your own"));
    driver_.app().screen().step_form.words = introduction;
    driver_.frames(2);
    driver_.press(Chord{Key::enter, true});
    driver_.wait_until("for the lesson", [&] { return driver_.app().scene().lesson.has_value(); });
    driver_.settle();
    EXPECT_FALSE(driver_.app().screen().step_form.open);
  }

  /// Does what a question asks for, as a learner would: types the covered numbers, trains, or makes the
  /// changes that the shown session has.
  void give_right_answer(const LessonStep& step) {
    if (step.question->shown) {
      driver_.app().apply(OpenSession{*step.question->shown});
    } else if (step.session.cover.stage) {
      Cover cover = driver_.session().cover;
      const Extent extent = driver_.trace().extent(*cover.stage);
      for (int row = 0; row < extent.rows; ++row) {
        for (int col = 0; col < extent.cols; ++col) {
          if (cover.covers(row, col)) cover.right.push_back({row, col});
        }
      }
      driver_.app().apply(set_cover(cover));
    } else if (driver_.session().architecture.d_model == 64) {
      driver_.app().apply(ChangeSettings{{{"architecture.d_model", 32.0}}});
      // On a slow machine, training waits until somebody asks for it.
      driver_.wait_until("for the training to begin", [&] {
        const auto& training = driver_.app().scene().training.progress;
        return training && training->state != TrainingState::running;
      });
      if (driver_.app().scene().training.progress->state == TrainingState::waiting)
        driver_.press(CommandId::train);
      driver_.wait_until("for the training", [&] { return walk().here().is_right; });
    } else {
      driver_.wait_until("for the end of the training", [&] {
        return driver_.app().scene().training.progress->state != TrainingState::running;
      });
      const auto film = film_of(driver_.app().scene());
      driver_.app().apply(ShowWeights{film[snapshot_near(film, 20.0)]});
    }
    driver_.settle();
  }

  AppDriver driver_{{1280, 1000}};
};

TEST_F(Lessons, EachIsWalkedToItsEndByDoingWhatItAsks) {
  ASSERT_EQ(lesson_files().size(), 12U);
  for (const EmbeddedFile& file : lesson_files()) {
    SCOPED_TRACE(std::string(file.name));
    open(std::string(file.name));
    EXPECT_EQ(driver_.app().error(), "");
    const std::size_t n_steps = walk().lesson->steps.size();
    for (std::size_t i = 0; i < n_steps; ++i) {
      ASSERT_EQ(walk().step, i);
      const LessonStep& step = walk().at();
      SCOPED_TRACE(step.title);
      EXPECT_TRUE(screen_contains(step.title));
      if (step.question) {
        EXPECT_TRUE(screen_contains("Your turn"));
        EXPECT_FALSE(walk().here().is_right) << "it is answered before the learner acts";
        give_right_answer(step);
        EXPECT_TRUE(walk().here().is_right) << "the lesson does not notice the answer";
        const bool is_found = is_met_by_finding(step.question->expect);
        EXPECT_EQ(screen_contains("✓ Correct"), is_found);
        EXPECT_EQ(screen_contains("✓ Done"), !is_found);
      }
      if (i + 1 < n_steps) driver_.press(CommandId::next_lesson_step);
    }
    EXPECT_TRUE(walk().is_last());
  }
}

TEST_F(Lessons, TheFirstStepByHandShowsNoNumberThatTheNextStepsAskFor) {
  open("02-one-head-by-hand");
  EXPECT_EQ(driver_.session().view, PageName::by_hand);
  EXPECT_TRUE(screen_contains("Raw scores"));
  for (const char* answer : {".707", ".670", ".500", "2.01", "0.6698"}) EXPECT_FALSE(screen_contains(answer));
}

TEST_F(Lessons, TheSentenceStandsOnlyOnPagesThatUseIt) {
  const auto bar = [] { return screen_contains("Settings"); };
  EXPECT_TRUE(bar());
  for (const PageName page : {PageName::lessons, PageName::textbooks}) {
    driver_.app().apply(SetView{page});
    driver_.settle();
    EXPECT_FALSE(bar());
    EXPECT_FALSE(is_enabled(driver_.app(), CommandId::edit_sentence));
  }
}

TEST_F(Lessons, AreOpenedFromTheirCards) {
  driver_.app().apply(SetView{PageName::lessons});
  driver_.settle();
  press("One head, by hand");
  driver_.wait_until("for the lesson", [&] { return driver_.app().scene().lesson.has_value(); });
  driver_.settle();
  ASSERT_TRUE(driver_.app().scene().lesson);
  EXPECT_EQ(walk().lesson->name, "02-one-head-by-hand");
  EXPECT_EQ(driver_.session().view, PageName::by_hand);
}

/// A lecture that begins the day after a lesson must not begin with a head that the lesson switched off.
TEST_F(Lessons, TheNextStartOpensWhatWasThereBefore) {
  const Session before = driver_.session();
  open("05-many-heads");
  driver_.app().dispatch(GoToStep{walk().lesson->steps.size() - 1});
  driver_.settle();
  driver_.app().dispatch(SceneOrder::reveal_answer);
  driver_.settle();
  ASSERT_FALSE(driver_.session().interventions == before.interventions);
  EXPECT_EQ(driver_.app().settings().session, before);
  driver_.app().dispatch(SceneOrder::close_lesson);
  driver_.settle();
  EXPECT_EQ(driver_.session(), before) << "what was there comes back";
  EXPECT_EQ(driver_.app().settings().session, before);
  driver_.app().apply(SetView{PageName::heads});
  driver_.settle();
  EXPECT_EQ(driver_.app().settings().session, driver_.session());
}

TEST_F(Lessons, AClickTellsNoCoveredNumberThatIsAskedFor) {
  open("02-one-head-by-hand");
  const auto& steps = walk().lesson->steps;
  const auto prompt = std::ranges::find_if(
      steps, [](const LessonStep& step) { return step.question && step.session.cover.stage; });
  ASSERT_NE(prompt, steps.end());
  driver_.app().dispatch(GoToStep{static_cast<std::size_t>(prompt - steps.begin())});
  driver_.settle();
  const Cover before = driver_.session().cover;
  const auto at = driver_.cell("large", 0, 0);
  ASSERT_TRUE(at);
  driver_.click(*at);
  driver_.settle();
  EXPECT_EQ(driver_.session().cover, before);
  press("Tell me");
  driver_.click(*at);
  driver_.settle();
  EXPECT_NE(driver_.session().cover, before) << "what was told may be shown";
}

TEST_F(Lessons, AnswerAWrongAnswerKindlyAndHelp) {
  open("01-what-does-it-mean");
  driver_.app().dispatch(GoToStep{3});
  driver_.settle();
  driver_.app().apply(open_head({0, 1}));
  driver_.settle();
  EXPECT_FALSE(walk().here().is_right);
  EXPECT_TRUE(screen_contains("This one gives most of its attention"));
  press("Hint");
  EXPECT_TRUE(walk().here().has_hint);
  EXPECT_TRUE(screen_contains("Above the heads is a switch"));
  press("Show me");
  EXPECT_TRUE(walk().here().is_revealed);
  EXPECT_FALSE(walk().here().is_right) << "what was revealed is not the learner's answer";
  EXPECT_EQ(driver_.session().selection.layer, 0);
  EXPECT_EQ(driver_.session().selection.head, 0);
  EXPECT_TRUE(screen_contains("The answer"));
}

TEST_F(Lessons, SayOfEveryWrongAnswerThatItIsWrong) {
  open("11-the-whole-machine");
  driver_.app().dispatch(GoToStep{2});
  driver_.settle();
  EXPECT_FALSE(screen_contains("Not yet"));
  driver_.app().apply(open_head({2, 2}));
  driver_.settle();
  EXPECT_TRUE(screen_contains("Not yet")) << "the lesson has no reply of its own to this head";
  open("02-one-head-by-hand");
  driver_.app().dispatch(GoToStep{1});
  driver_.settle();
  const auto at = driver_.cell("large", 0, 0);
  ASSERT_TRUE(at);
  driver_.hover(*at);
  EXPECT_FALSE(screen_contains("Not yet"));
  driver_.window().type("9");
  driver_.frames(2);
  driver_.window().press({Key::enter});
  driver_.settle();
  EXPECT_TRUE(screen_contains("Not yet"));
  driver_.press(CommandId::next_lesson_step);
  EXPECT_FALSE(screen_contains("Not yet")) << "it was said of the step before";
}

TEST_F(Lessons, SayWhatIsSkippedAndSumUp) {
  open("04-masks");
  EXPECT_TRUE(screen_contains("Next ›"));
  const std::size_t n_steps = walk().lesson->steps.size();
  std::size_t n_questions = 0;
  std::size_t n_right = 0;
  for (std::size_t i = 0; i < n_steps; ++i) {
    const LessonStep& step = walk().at();
    if (step.question && ++n_questions > 1) {
      if (i + 1 < n_steps) {
        EXPECT_TRUE(screen_contains("Skip ›")) << step.title;
      }
      give_right_answer(step);
      ++n_right;
      EXPECT_FALSE(screen_contains("Skip ›")) << step.title;
    }
    if (i + 1 < n_steps) driver_.press(CommandId::next_lesson_step);
  }
  ASSERT_GT(n_right, 1U);
  EXPECT_TRUE(
      screen_contains("You answered " + std::to_string(n_right) + " of " + std::to_string(n_questions)));
  EXPECT_TRUE(screen_contains("Still open: step 2."));
}

TEST_F(Lessons, LetTheReaderTouchEverythingAndReturn) {
  open("01-what-does-it-mean");
  const Session scene = driver_.session();
  EXPECT_FALSE(screen_contains("Restore this step"));
  driver_.app().apply(SetSentence{"Something else"});
  driver_.press(PageName::model);
  EXPECT_TRUE(screen_contains("Restore this step"));
  press("Restore this step");
  EXPECT_EQ(driver_.session(), scene);
  driver_.app().undo();
  driver_.settle();
  EXPECT_EQ(driver_.session().sentence, "Something else") << "returning can be undone";
  driver_.press(CommandId::close_lesson);
  EXPECT_FALSE(driver_.app().scene().lesson);
  EXPECT_EQ(driver_.session().sentence, "Something else");
}

TEST_F(Lessons, StayInSightWhileTheyAreAnswered) {
  open("04-masks");
  driver_.app().dispatch(GoToStep{1});
  driver_.settle();
  driver_.press(CommandId::toggle_causal);
  const auto cell = driver_.cell("large", 0, 0);
  ASSERT_TRUE(cell);
  driver_.click(*cell);
  driver_.settle();
  EXPECT_TRUE(walk().here().is_right);
  EXPECT_TRUE(screen_contains("✓ Correct"))
      << "the click that answers does not hide what the lesson says to it";
}

TEST_F(Lessons, AreFoundByTheirWords) {
  const auto finds = [&](const char* query) {
    const auto palette = palette_of(driver_.app());
    return std::ranges::any_of(palette->find(query), [](const Palette::Found& found) {
      const auto* lesson = std::get_if<std::string>(&found.entry.effect);
      return lesson != nullptr && *lesson == "04-masks";
    });
  };
  for (const char* query : {"masks", "who may see", "mask lesson", "neighbours"})
    EXPECT_TRUE(finds(query)) << query;
  EXPECT_FALSE(finds("train"));
}

TEST_F(Lessons, MoveThroughEveryNumberInBetween) {
  open("03-why-divide-by-sqrt-dk");
  std::vector<float> seen;
  driver_.app().on_event([&](const Event& event) {
    if (std::holds_alternative<LessonAnimated>(event))
      seen.push_back(driver_.session().attention.temperature);
  });
  driver_.press(CommandId::next_lesson_step);
  driver_.wait_until("for the motion", [&] { return !driver_.app().scene().lesson->motion; });
  driver_.app().on_event({});
  EXPECT_FLOAT_EQ(driver_.session().attention.temperature, 0.1F);
  EXPECT_GT(seen.size(), 8U);
  EXPECT_TRUE(std::ranges::is_sorted(seen, std::ranges::greater()));
  driver_.app().undo();
  driver_.settle();
  EXPECT_FLOAT_EQ(driver_.session().attention.temperature, 1.0F) << "the way is one step of undo";
}

TEST_F(Lessons, ArePresentedWithTheKeysOfARemoteControl) {
  open("04-masks");
  driver_.press(CommandId::present);
  EXPECT_TRUE(screen_contains("Nothing hidden"));
  driver_.press({Key::page_down});
  EXPECT_EQ(walk().step, 1U);
  driver_.press({Key::right});
  EXPECT_EQ(walk().step, 2U);
  driver_.press({Key::page_up});
  EXPECT_EQ(walk().step, 1U);
  EXPECT_EQ(driver_.session().view, PageName::explore);
  driver_.press({Key::b});
  EXPECT_TRUE(driver_.app().screen().is_black);
  EXPECT_FALSE(screen_contains("The future"));
  EXPECT_EQ(driver_.session().view, PageName::explore) << "B opens no page here";
  driver_.press({Key::escape});
  EXPECT_TRUE(screen_contains("The future"));
  EXPECT_TRUE(driver_.app().screen().presents);
  driver_.press({Key::escape});
  EXPECT_FALSE(driver_.app().screen().presents);
}

TEST_F(Lessons, PresentAllTextOfAStepAndItsAnswer) {
  open("04-masks");
  driver_.press(CommandId::present);
  driver_.press({Key::right});
  EXPECT_TRUE(screen_contains("learns to guess"));
  EXPECT_TRUE(screen_contains("the words before it"));
  EXPECT_TRUE(screen_contains("Your turn"));
  EXPECT_FALSE(screen_contains("✓"));
  const float title = find_text("The future").front().h;
  // The step also writes about the switch, below it.
  const Box control = find_text("Causal mask").front();
  driver_.click({control.x + 3.0F, control.y + 3.0F});
  driver_.app().apply(SelectToken{0});
  driver_.settle();
  EXPECT_TRUE(screen_contains("✓")) << "the switch is beside the picture";
  EXPECT_TRUE(screen_contains("The hidden part is a triangle"));
  EXPECT_EQ(find_text("The future").front().h, title) << "the answer must not shrink the text";
}

/// The height of the largest “e” or “o” of a presented step.
float letter_height(float width_of_window) {
  constexpr float share_of_step = 0.34F;
  float height = 0.0F;
  for (const ScreenText& run : read_screen()) {
    if (run.box().right() > share_of_step * width_of_window || run.text.size() != run.letters.size())
      continue;
    for (std::size_t i = 0; i < run.text.size(); ++i) {
      if (run.text[i] == 'e' || run.text[i] == 'o') height = std::max(height, run.letters[i].h);
    }
  }
  return height;
}

TEST_F(Lessons, PresentAllStepsOfALessonInLettersOfOneSize) {
  const auto width = static_cast<float>(driver_.window().framebuffer_size().width);
  for (const char* name : {"01-what-does-it-mean", "04-masks", "05-many-heads"}) {
    open(name);
    driver_.press(CommandId::present);
    driver_.press({Key::right});  // The first step has the larger title of the lesson.
    const float height = letter_height(width);
    EXPECT_GT(height, 8.0F);
    for (std::size_t i = 1; i < walk().lesson->steps.size(); ++i) {
      EXPECT_NEAR(letter_height(width), height, 0.5F) << name << ": " << walk().at().title;
      driver_.press({Key::right});
    }
    driver_.press({Key::escape});
  }
}

TEST_F(Lessons, ShowTheSentenceThatAPresentedStepAsksFor) {
  open("01-what-does-it-mean");
  driver_.press(CommandId::present);
  driver_.press({Key::right});
  driver_.press({Key::right});
  driver_.paste_sentence("The animal didn't cross the street because it was too wide");
  EXPECT_TRUE(walk().here().is_right);
}

TEST_F(Lessons, HaveAPlaceInEveryWindow) {
  for (const auto& [size, scale] :
       {std::pair(PixelSize{1024, 768}, 1.0F), std::pair(PixelSize{1280, 800}, 2.0F),
        std::pair(PixelSize{1920, 1080}, 1.0F)}) {
    AppDriver driver(size, scale);
    open("02-one-head-by-hand", driver);
    EXPECT_TRUE(screen_contains("Three little rows")) << size.width;
    driver.press(CommandId::next_lesson_step);
    EXPECT_TRUE(screen_contains("A score for each pair")) << size.width;
    EXPECT_FALSE(find_text("Skip ›").empty()) << size.width;
    for (const Box& box : find_text("Skip ›")) {
      EXPECT_LE(box.right(), static_cast<float>(size.width));
      EXPECT_LE(box.bottom(), static_cast<float>(size.height));
    }
  }
}

TEST_F(Lessons, OfSomebodysOwnOpenFromFilesAndTellTheirMistakes) {
  const auto folder = std::filesystem::temp_directory_path() / "headscope_lessons_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "mine.md")
      << "# Mine\n\n## One\n\n```scene\n--sentence \"a b\"\n```\n\n[on](other.md)\n";
  std::ofstream(folder / "bad.md") << "# Bad\n\n## One\n\n```scene\n--mask /etc/passwd\n```\n";
  driver_.app().dispatch(OpenFile{(folder / "mine.md").string()});
  driver_.wait_until("for the lesson", [&] { return driver_.app().scene().lesson.has_value(); });
  driver_.settle();
  EXPECT_EQ(driver_.session().sentence, "a b");
  driver_.app().dispatch(OpenFile{(folder / "bad.md").string()});
  driver_.wait_until("for the message", [] { return screen_contains("bad.md', line 5"); });
  EXPECT_EQ(walk().lesson->title, "Mine") << "the lesson that is open stays";
  std::filesystem::remove_all(folder);
}

TEST_F(Lessons, HideAndLockControls) {
  const auto folder = std::filesystem::temp_directory_path() / "headscope_controls_lesson_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "mine.md")
      << "# Mine\n\n## One\n\n```controls\nhide attention.causal\nlock architecture.heads\nkeep explore lines\n```\n\n## Two\n\nAll.\n";
  EXPECT_TRUE(screen_contains("Causal mask"));
  driver_.app().dispatch(OpenFile{(folder / "mine.md").string()});
  driver_.wait_until("for the lesson", [&] { return driver_.app().scene().lesson.has_value(); });
  driver_.settle();
  EXPECT_FALSE(screen_contains("Causal mask"));
  EXPECT_TRUE(screen_contains("heads"));
  EXPECT_FALSE(find_text("Lines").empty());
  EXPECT_TRUE(find_text("Watch a row").empty());
  EXPECT_TRUE(find_text("Ideas").empty());
  driver_.press(PageName::heads);
  EXPECT_EQ(driver_.session().view, PageName::explore);
  driver_.press(PageName::lines);
  EXPECT_EQ(driver_.session().view, PageName::lines);
  driver_.press(CommandId::next_lesson_step);
  EXPECT_FALSE(screen_contains("Causal mask")) << "a step that speaks of no setting leaves them away";
  driver_.press(CommandId::toggle_controls);
  EXPECT_TRUE(screen_contains("Causal mask"));
  EXPECT_FALSE(find_text("Ideas").empty());
  std::filesystem::remove_all(folder);
}

TEST_F(Lessons, AreMadeInTheWindow) {
  const auto folder = std::filesystem::temp_directory_path() / "headscope_own_lesson_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  driver_.app().apply(SetSentence{"one two three"});
  begin_lesson(folder, {"My lesson", ""});
  const std::filesystem::path file = folder / "my-lesson" / "my-lesson.md";
  EXPECT_EQ(walk().lesson->file, file.string());
  driver_.app().apply(SetSentence{"four five"});
  driver_.press(CommandId::add_lesson_step);
  driver_.wait_until("for its second step", [&] { return walk().lesson->steps.size() == 2; });
  driver_.settle();
  EXPECT_EQ(walk().lesson->name, "my-lesson");
  EXPECT_EQ(walk().step, 1U);
  EXPECT_EQ(driver_.session().sentence, "four five");
  driver_.press(CommandId::previous_lesson_step);
  EXPECT_EQ(driver_.session().sentence, "one two three");
  std::ofstream(file, std::ios::app) << "\nAnd **more** text.\n";
  driver_.press(CommandId::next_lesson_step);
  driver_.press(CommandId::reload_lesson);
  driver_.wait_until("for the new text", [] { return screen_contains("more"); });
  EXPECT_EQ(walk().step, 1U);
  const std::string whole = walk().lesson->text;
  std::ofstream(file) << whole << "\n```ask\n";
  driver_.press(CommandId::reload_lesson);
  driver_.wait_until("for the message", [] { return screen_contains("my-lesson.md"); });
  std::ofstream(file) << whole;
  driver_.press(CommandId::reload_lesson);
  driver_.wait_until("for the end of the message", [] { return !screen_contains("my-lesson.md"); });
  driver_.press(CommandId::close_lesson);
  driver_.app().apply(SetView{PageName::lessons});
  driver_.settle();
  EXPECT_TRUE(screen_contains("Your lessons"));
  press(driver_.app().screen().scenes.user_lessons.front().title.c_str());
  driver_.wait_until("for the lesson", [&] { return driver_.app().scene().lesson.has_value(); });
  EXPECT_EQ(walk().lesson->steps.size(), 2U);
  EXPECT_TRUE(std::ranges::any_of(palette_of(driver_.app())->find("My lesson"), [&](const auto& found) {
    const auto* shows = std::get_if<std::string>(&found.entry.effect);
    return shows != nullptr && *shows == file.string();
  }));
  driver_.press(CommandId::close_lesson);
  std::filesystem::remove(file);
  driver_.app().apply(SetView{PageName::lessons});
  driver_.settle();
  press("My lesson");
  driver_.wait_until("for its card to go",
                     [&] { return driver_.app().screen().scenes.user_lessons.empty(); });
  std::filesystem::remove_all(folder);
}

TEST_F(Lessons, GoOnWhereTheLearnerLeftThem) {
  open("02-one-head-by-hand");
  driver_.press(CommandId::next_lesson_step);
  driver_.press(CommandId::next_lesson_step);
  EXPECT_EQ(walk().step, 2U);
  driver_.press(CommandId::close_lesson);
  driver_.app().apply(SetView{PageName::lessons});
  driver_.settle();
  EXPECT_TRUE(screen_contains("step 3 of"));
  EXPECT_EQ(driver_.app().settings().scenes.lesson_progress.at("02-one-head-by-hand"), 3);
  press("One head, by hand");
  driver_.wait_until("for the lesson", [&] { return driver_.app().scene().lesson.has_value(); });
  EXPECT_EQ(walk().step, 2U);
}

TEST_F(Lessons, AreWrittenAndRearrangedInTheWindow) {
  const auto folder = std::filesystem::temp_directory_path() / "headscope_written_lesson_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::filesystem::path file = folder / "ours" / "ours.md";
  const auto click = [&](const char* label) {
    const std::vector<Box> found = find_text(label);
    ASSERT_FALSE(found.empty()) << label;
    driver_.click({found.front().x + 3.0F, found.front().y + 3.0F});
    driver_.settle();
  };
  const auto choose = [&](const char* edit) {
    click("More");
    click(edit);
  };
  const auto title_at = [&](std::size_t step) { return walk().lesson->steps[step].title; };
  driver_.app().apply(SetSentence{"one two three"});
  begin_lesson(folder, {"Ours", ""});
  driver_.app().apply(SetSentence{"four five"});
  driver_.press(CommandId::add_lesson_step);
  driver_.wait_until("for the step", [&] { return walk().lesson->steps.size() == 2; });
  EXPECT_EQ(driver_.session().sentence, "four five");
  driver_.settle();
  click("Write this step");
  EXPECT_TRUE(driver_.app().screen().step_form.open);
  EXPECT_TRUE(screen_contains("Step 2 of"));
  driver_.app().screen().step_form.words = {"Five", "What there is to see."};
  driver_.frames(2);
  driver_.press(Chord{Key::escape});
  EXPECT_FALSE(driver_.app().screen().step_form.open);
  driver_.settle();
  EXPECT_TRUE(screen_contains("What you typed is kept"));
  click("Write this step");
  EXPECT_EQ(driver_.app().screen().step_form.words.title, "Five") << "nothing that was typed is lost";
  click("Save");
  driver_.wait_until("for the words", [&] { return title_at(1) == "Five"; });
  driver_.settle();
  EXPECT_FALSE(driver_.app().screen().step_form.open);
  EXPECT_TRUE(screen_contains("What there is to see."));
  EXPECT_EQ(driver_.session().sentence, "four five");
  driver_.app().apply(SetSentence{"six seven"});
  driver_.settle();
  click("Use what you see for this step");
  driver_.wait_until("for the scene",
                     [&] { return walk().lesson->text.find("ours-3") != std::string::npos; });
  driver_.settle();
  EXPECT_EQ(driver_.session().sentence, "six seven");
  EXPECT_EQ(title_at(1), "Five");
  choose("Title and introduction");
  driver_.app().screen().step_form.words = {"Ours and yours", "About us."};
  driver_.frames(2);
  driver_.press(Chord{Key::enter, true});
  driver_.wait_until("for the title", [&] { return walk().lesson->title == "Ours and yours"; });
  EXPECT_EQ(walk().step, 1U);
  driver_.settle();
  choose("Move this step up");
  driver_.wait_until("for the order", [&] { return title_at(0) == "Five"; });
  driver_.settle();
  EXPECT_EQ(walk().step, 0U);
  choose("Delete this step");
  driver_.wait_until("for one step", [&] { return walk().lesson->steps.size() == 1; });
  driver_.settle();
  driver_.press(CommandId::undo);
  driver_.wait_until("for two steps", [&] { return walk().lesson->steps.size() == 2; });
  EXPECT_EQ(title_at(0), "Five");
  // A question is recognised by what its author does.
  driver_.app().apply(ChangeSettings{{{"attention.causal", true}}});
  driver_.settle();
  click("Write this step");
  click("Add a question");
  click("Use what I just did as the answer");
  EXPECT_EQ(driver_.app().screen().step_form.words.question->expect, "setting attention.causal = on");
  driver_.app().screen().step_form.words.question->prompt = "Which switch?";
  driver_.frames(2);
  EXPECT_TRUE(screen_contains("The answer is missing"));
  driver_.app().screen().step_form.words.question->reveal = "The mask.";
  driver_.frames(2);
  click("Save");
  driver_.wait_until("for the question", [&] { return walk().lesson->steps[0].question.has_value(); });
  driver_.settle();
  EXPECT_TRUE(screen_contains("Which switch?"));
  // A text that cannot be read is refused, and the sheet stays open with it.
  driver_.settle();
  click("Write this step");
  driver_.app().screen().step_form.words.body = "```scene\n--no-such-option\n```";
  driver_.frames(2);
  click("Save");
  driver_.wait_until("for the message", [] { return screen_contains("was left as it is"); });
  EXPECT_TRUE(driver_.app().screen().step_form.open);
  EXPECT_EQ(title_at(0), "Five");
  driver_.app().screen().step_form.open = false;
  // A file that another program has changed is not overwritten.
  std::ofstream(file, std::ios::app) << "\nMore.\n";
  driver_.frames(2);
  choose("Move this step down");
  driver_.wait_until("for the message", [] { return screen_contains("changed by another program"); });
  EXPECT_EQ(title_at(0), "Five");
  // A reader sees the author's commands only after asking for them.
  driver_.app().dispatch(SceneOrder::close_lesson);
  driver_.app().dispatch(OpenFile{file.string()});
  driver_.wait_until("for the lesson", [&] { return driver_.app().scene().lesson.has_value(); });
  driver_.settle();
  EXPECT_TRUE(find_text("Add a step").empty());
  click("Edit this lesson");
  EXPECT_FALSE(find_text("Add a step").empty());
  std::filesystem::remove_all(folder);
}

TEST(OwnLessons, ANewStepIsWrittenThroughNoLinkAndRemovesNothing) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "course/b-2.headscope.weights/weights-of-mine");
  std::ofstream(folder / "course/b.md") << "# B\n\n## A step\n\nText.\n";
  std::filesystem::create_symlink("../aliases", folder / "course/b-1.headscope");
  std::filesystem::create_symlink("../picture", folder / "course/b-3.png");
  const std::filesystem::path file = folder / "course/b.md";
  const auto lesson = write_step(file, content_of(file), 1, true, default_session());
  ASSERT_TRUE(lesson) << lesson.error().message;
  EXPECT_NE((*lesson)->text.find("b-4.headscope"), std::string::npos) << (*lesson)->text;
  EXPECT_TRUE(std::filesystem::is_regular_file(folder / "course/b-4.headscope"));
  EXPECT_EQ(folder.n_files(), 1U) << "nothing is outside of the folder";
  EXPECT_TRUE(std::filesystem::exists(folder / "course/b-2.headscope.weights/weights-of-mine"));
}

}  // namespace
}  // namespace headscope
