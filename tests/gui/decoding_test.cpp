// Tests the page of decoding: its steps, playing them, other comparisons, and the tabs beside so many pages.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/checkpoint/model_folder.h"
#include "core/enum_count.h"
#include "core/page/page_record.h"
#include "core/session/settings.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"
#include "tests/unit/session/with.h"

namespace headscope {
namespace {

Settings on_decoding() {
  Settings settings;
  settings.session = default_session();
  settings.session.view = PageName::decoding;
  settings.session.attention.mask.causal = true;
  return settings;
}

class DecodingPage : public testing::Test {
 protected:
  void press(const char* label) {
    const std::vector<Box> found = find_text(label);
    ASSERT_FALSE(found.empty()) << label;
    driver_.click({found.front().x + 3.0F, found.front().y + 3.0F});
  }

  AppDriver driver_{{1900, 1300}, 1.0F, on_decoding()};
};

TEST_F(DecodingPage, ShowsWhatAStepReadsAndComputes) {
  driver_.settle();
  EXPECT_TRUE(screen_contains("11 tokens read, newest: “")) << "the page begins with the whole text";
  driver_.app().apply(set_to("decoding.step", 1));
  driver_.settle();
  EXPECT_TRUE(screen_contains("1 token read, newest: “The”"));
  EXPECT_TRUE(screen_contains("1 computed"));
  driver_.app().apply(set_to("decoding.step", 6));
  driver_.settle();
  EXPECT_TRUE(screen_contains("6 tokens read, newest: “street”"));
  EXPECT_TRUE(screen_contains("5 read from the cache, 1 computed"));
  EXPECT_TRUE(screen_contains("at this context: 6 tokens"));
  driver_.app().apply(set_to("decoding.step", 1000));
  driver_.settle();
  EXPECT_TRUE(screen_contains("11 tokens read, newest: “"));
}

TEST_F(DecodingPage, PlaysToTheLastAndStops) {
  driver_.app().apply(set_to("decoding.step", 9));
  driver_.settle();
  press("Play");
  driver_.wait_until("for the last token", [&] { return driver_.session().decoding.step == 11; });
  driver_.frames(3);
  EXPECT_TRUE(find_text("Pause").empty());
  press("‹");
  EXPECT_EQ(driver_.session().decoding.step, 10);
  press("›");
  press("›");
  EXPECT_EQ(driver_.session().decoding.step, 11);
}

TEST_F(DecodingPage, ComparesCachesAsItIsTold) {
  driver_.settle();
  EXPECT_TRUE(find_text("16 bit").empty());
  press("Choose the sizes to compare");
  driver_.settle();
  press("16 bit");
  EXPECT_EQ(driver_.session().decoding.numbers, CacheNumbers::bits16);
  driver_.app().apply(set_to("decoding.step", 4));
  driver_.app().apply(set_to("decoding.window", 2));
  driver_.settle();
  EXPECT_EQ(driver_.session().decoding.step, 4) << "what is compared leaves the token";
  EXPECT_TRUE(screen_contains("window: the last 2 tokens"));
  driver_.app().undo();
  driver_.settle();
  EXPECT_FALSE(screen_contains("window: the last 2 tokens"));
}

TEST_F(DecodingPage, ArrowsStepThroughTheTokensWhilePresented) {
  driver_.app().apply(set_to("decoding.step", 1));
  driver_.press(CommandId::present);
  driver_.window().press({Key::right});
  driver_.window().press({Key::right});
  driver_.window().press({Key::left});
  driver_.settle();
  EXPECT_EQ(driver_.session().decoding.step, 2);
}

TEST_F(DecodingPage, APresentationBeginsAtTheFirstToken) {
  driver_.app().apply(set_to("decoding.step", 1000));
  driver_.press(CommandId::present);
  driver_.settle();
  EXPECT_EQ(driver_.session().decoding.step, 1);
  EXPECT_TRUE(screen_contains("step 1 of"));
}

TEST_F(DecodingPage, SaysWhyNothingCanBeKeptAndCuresIt) {
  Session session = driver_.session();
  session.attention.mask.causal = false;
  driver_.app().apply(test::with(driver_.session(), session.attention));
  driver_.settle();
  EXPECT_TRUE(screen_contains("Earlier tokens look at later ones"));
  EXPECT_TRUE(find_text("Play").empty());
  EXPECT_FALSE(screen_contains("at 128k")) << "sizes of a cache that there is not";
  press("Switch the causal mask on");
  driver_.settle();
  EXPECT_TRUE(screen_contains("at 128k"));
  EXPECT_TRUE(driver_.session().attention.mask.causal);
  EXPECT_FALSE(find_text("Play").empty());
}

TEST_F(DecodingPage, OpensAModelThatWritesAndWritesWithOneButton) {
  Session session = driver_.session();
  session.attention.mask.causal = false;
  driver_.app().apply(test::with(driver_.session(), session.attention));
  driver_.settle();
  press("Open a model that writes");
  driver_.wait_until("for the model", [&] {
    return driver_.session().model && driver_.session().model->name == default_writing_model;
  });
  driver_.settle();
  const std::string before = driver_.session().sentence;
  const auto n = driver_.trace().n_tokens();
  const auto button = find_letters("Append");
  ASSERT_FALSE(button.empty());
  driver_.click({button.front().x + 4.0F, button.front().y + 2.0F});
  driver_.settle();
  EXPECT_TRUE(driver_.session().sentence.starts_with(before + " ")) << driver_.session().sentence;
  EXPECT_EQ(driver_.trace().n_tokens(), n + 1);
  EXPECT_EQ(driver_.session().decoding.step, n + 1) << "the new word is the one that is shown";
  EXPECT_TRUE(screen_contains("Greedy: the likeliest word"));
  driver_.press(CommandId::undo);
  driver_.settle();
  EXPECT_EQ(driver_.session().sentence, before);
}

TEST_F(DecodingPage, ShowsWhatSamplingCutsOff) {
  driver_.app().dispatch(OpenBundled{"copying"});
  driver_.wait_until("for the model", [&] { return driver_.session().task == "copying"; });
  Sampling sampling;
  sampling.greedy = false;
  sampling.top_k = 3;
  driver_.app().apply(test::with(driver_.session(), sampling));
  driver_.app().apply(set_to("decoding.step", 1));
  driver_.settle();
  EXPECT_TRUE(screen_contains("3 words of"));
  EXPECT_EQ(find_text("cut").size(), 7U) << "of the ten that are listed";
}

/// The window is wide enough for the controls of sampling to fit into the line of the other controls.
TEST(Sampling, MovesNothingBelowItsControls) {
  for (const PageName name : {PageName::words, PageName::decoding}) {
    AppDriver driver({1920, 1080});
    driver.app().dispatch(OpenBundled{"copying"});
    driver.wait_until("for the model", [&] { return driver.session().task == "copying"; });
    driver.press(name);
    driver.settle();
    const char* heading = name == PageName::words ? "Next word" : "framed";
    const auto place = [&] {
      const std::vector<Box> found = find_letters(heading);
      return found.empty() ? Point{-1.0F, -1.0F} : Point{found.front().x, found.front().y};
    };
    const Point greedy = place();
    EXPECT_GT(greedy.y, 0.0F);
    driver.app().apply(set_to("sampling.greedy", false));
    driver.settle();
    EXPECT_FALSE(find_letters("sampling temperature").empty());
    EXPECT_EQ(place(), greedy) << static_cast<int>(name);
  }
}

TEST(Workspaces, AllStandInTheBarAndRememberTheirView) {
  AppDriver driver({1280, 800}, 1.0F, on_decoding());
  driver.settle();
  for (std::size_t i = 0; i < enum_count<Workspace>; ++i) {
    const std::string title(title_of(static_cast<Workspace>(i)));
    std::vector<Box> tab = find_text(title);
    std::erase_if(tab, [](const Box& box) { return box.y > 48.0F; });
    ASSERT_EQ(tab.size(), 1U) << title;
  }
  const auto open = [&](const char* workspace) {
    const Box tab = find_text(workspace).front();
    driver.click({tab.x + 3.0F, tab.y + 3.0F});
    driver.settle();
  };
  open("Heads");
  EXPECT_EQ(driver.session().view, PageName::heads);
  open("Ideas");
  EXPECT_EQ(driver.session().view, PageName::decoding) << "the view that was shown there last";
}

TEST(Workspaces, EachViewHasATabAndAsks) {
  AppDriver driver({1600, 900});
  for (const PageRecord& page : page_records()) {
    if (!page.workspace) continue;
    driver.app().apply(SetView{page.name});
    driver.settle();
    PageMemo memo;
    PageTools tools{driver.app().measure(), 0, memo};
    const std::string question = headline_of(driver.app().screen().page_inputs, page.name, tools).question;
    EXPECT_TRUE(screen_contains(question)) << question;
    for (const PageRecord& other : page_records()) {
      const bool has_tab = other.name == page.name || other.has_tab == nullptr;
      if (other.workspace != page.workspace || !has_tab) continue;
      const auto n_views = std::ranges::count(page_records(), page.workspace, &PageRecord::workspace);
      // A single view has no tab of its own beside that of its workspace.
      const std::string_view title = n_views == 1 ? title_of(*page.workspace) : other.title;
      EXPECT_FALSE(find_text(std::string(title)).empty()) << title;
    }
  }
}

}  // namespace
}  // namespace headscope
