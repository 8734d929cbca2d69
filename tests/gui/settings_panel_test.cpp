// Tests the panel of settings: what it shows at first, its foldable groups, the search, the return to the
// defaults, and sliders that move only through allowed values.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gui/app_driver.h"
#include "tests/gui/drawn_window.h"
#include "tests/gui/screen_reader.h"

namespace headscope {
namespace {

constexpr const char* group_names[] = {"Mask",    "Attention", "Block",         "Positions",
                                       "Weights", "Picture",   "Interventions", "Exercise"};

class SettingsPanelTest : public testing::Test {
 protected:
  /// The boxes of a text in the panel.
  std::vector<Box> in_panel(std::string_view text) {
    std::vector<Box> boxes = find_text(text);
    std::erase_if(boxes, [&](const Box& box) { return box.x > 256.0F || box.y < 100.0F; });
    return boxes;
  }
  void click_on(std::string_view text) {
    const auto boxes = in_panel(text);
    ASSERT_FALSE(boxes.empty()) << text;
    driver_.click({boxes.front().x + 2.0F, boxes.front().y + boxes.front().h / 2.0F});
  }
  /// Clicks on the number beside a label, types another one and presses Enter.
  void type_value(std::string_view label, std::string_view number) {
    const auto boxes = in_panel(label);
    ASSERT_FALSE(boxes.empty()) << label;
    driver_.click({236.0F, boxes.front().y + boxes.front().h / 2.0F});
    driver_.window().type(number);
    driver_.press(Chord{Key::enter});
  }
  void search(std::string_view text) {
    const auto hint = in_panel("Find a setting");
    ASSERT_FALSE(hint.empty());
    driver_.click({hint.front().x + 4.0F, hint.front().y + 4.0F});
    driver_.window().type(text);
    driver_.settle();
  }
  Architecture architecture() { return driver_.session().architecture; }

  AppDriver driver_{{1280, 1000}};
};

TEST_F(SettingsPanelTest, ShowsTheModelItsSizesTemperatureAndCausalMaskAndFoldsTheRest) {
  EXPECT_TRUE(in_panel("Interventions").empty()) << "they are made on the pages of heads";
  driver_.press(PageName::heads);
  for (const char* shown : {"d_model", "heads", "layers", "temperature", "Causal mask"})
    EXPECT_EQ(in_panel(shown).size(), 1U) << shown;
  float above = in_panel("Causal mask").front().y;
  for (const char* group : group_names) {
    ASSERT_EQ(in_panel(group).size(), 1U) << group;
    EXPECT_GT(in_panel(group).front().y, above) << group;
    above = in_panel(group).front().y;
  }
  for (const char* folded : {"Sliding window", "Sinks", "stacks", "Numbers in cells", "seed", "base"})
    EXPECT_TRUE(in_panel(folded).empty()) << folded;
}

TEST_F(SettingsPanelTest, AGroupOpensByAClickAndStaysOpenOnOtherPages) {
  click_on("Mask");
  EXPECT_FALSE(in_panel("Sliding window").empty());
  driver_.press(PageName::stages);
  EXPECT_FALSE(in_panel("Sliding window").empty());
  click_on("Mask");
  EXPECT_TRUE(in_panel("Sliding window").empty());
}

TEST_F(SettingsPanelTest, AGroupOpensByKeys) {
  click_on("Attention");
  ASSERT_FALSE(in_panel("Sinks").empty());
  driver_.press(Chord{Key::down});
  driver_.press(Chord{Key::up});
  driver_.press(Chord{Key::space});
  EXPECT_TRUE(in_panel("Sinks").empty());
  driver_.press(Chord{Key::space});
  EXPECT_FALSE(in_panel("Sinks").empty());
}

TEST_F(SettingsPanelTest, LinesOfGroupsSayWhatIsSet) {
  for (const char* words : {"none", "scaled by 1/√d_head", "sinusoidal", "attention alone", "seed 0"})
    EXPECT_FALSE(in_panel(words).empty()) << words;
  driver_.app().apply(ChangeSettings{{{"attention.causal", true},
                                      {"attention.window", 4.0},
                                      {"architecture.positions", std::string("rotary")},
                                      {"architecture.d_ff", 256.0},
                                      {"architecture.norm", std::string("pre")},
                                      {"architecture.activation", std::string("gelu")},
                                      {"architecture.residual", true}}});
  driver_.settle();
  for (const char* words : {"causal, window 4", "rotary", "pre-norm, GELU"})
    EXPECT_FALSE(in_panel(words).empty()) << words;
}

TEST_F(SettingsPanelTest, WordsThatHaveNoRoomAreCutWithinThePanel) {
  driver_.app().apply(ChangeSettings{{{"attention.causal", true},
                                      {"attention.window", 4.0},
                                      {"attention.block", 4.0},
                                      {"attention.dilation", 2.0}}});
  for (const float width : {200.0F, 248.0F, 420.0F}) {
    driver_.app().screen().panels.controls = width;
    driver_.settle();
    const auto words = find_letters("causal,");
    ASSERT_FALSE(words.empty()) << width;
    const Box name = in_panel("Mask").front();
    for (const ScreenText& run : read_screen()) {
      const Box box = run.box();
      if (std::abs(box.y + box.h / 2.0F - name.y - name.h / 2.0F) > 6.0F || box.x >= width) continue;
      EXPECT_LE(box.right(), 12.0F + width) << run.text;
      if (run.text != "Mask") {
        EXPECT_GT(box.x, name.right()) << run.text;
      }
    }
  }
}

TEST_F(SettingsPanelTest, TheSearchShowsWhatItsWordsMean) {
  search("softcap");
  EXPECT_FALSE(in_panel("Softcap of the scores").empty());
  EXPECT_TRUE(in_panel("d_model").empty());
  EXPECT_TRUE(in_panel("Picture").empty());
  driver_.press(Chord{Key::escape});
  EXPECT_TRUE(in_panel("Softcap of the scores").empty()) << "the group was not open";
  EXPECT_FALSE(in_panel("d_model").empty());
}

TEST_F(SettingsPanelTest, TheSearchFindsByASentenceAndSaysWhenThereIsNothing) {
  search("StreamingLLM");
  driver_.app().apply(ChangeSettings{{{"attention.window", 2.0}}});
  driver_.settle();
  EXPECT_FALSE(in_panel("first keys always seen").empty());
  driver_.window().type("xyz");
  driver_.settle();
  EXPECT_TRUE(screen_contains("No setting matches"));
}

TEST_F(SettingsPanelTest, TheSearchSaysThatASettingIsOfNoUseNow) {
  search("activation");
  EXPECT_TRUE(screen_contains("activation: has no effect with the other settings as they are"));
}

TEST_F(SettingsPanelTest, TheEscapeThatEmptiesTheSearchKeepsThePin) {
  driver_.app().apply(PinCell{{{StageKind::weights}, 3, 4}});
  search("c");
  EXPECT_FALSE(driver_.session().attention.mask.causal) << "a letter that is typed is no command";
  driver_.press(CommandId::unpin);
  EXPECT_EQ(driver_.app().screen().settings.search, "");
  EXPECT_TRUE(driver_.session().selection.pin);
  driver_.press(CommandId::unpin);
  EXPECT_FALSE(driver_.session().selection.pin);
}

TEST_F(SettingsPanelTest, ThePaletteOpensTheGroupOfASetting) {
  driver_.press(CommandId::palette);
  driver_.window().type("the buckets of relative");
  driver_.settle();
  driver_.press(Chord{Key::escape});
  driver_.press(CommandId::palette);
  driver_.window().type("dilation");
  driver_.settle();
  driver_.press(Chord{Key::enter});
  EXPECT_FALSE(in_panel("Dilated").empty());
  EXPECT_TRUE(driver_.app().screen().settings.open.contains("Mask"));
}

TEST_F(SettingsPanelTest, TheDefaultsComeBackInOneStep) {
  const Session start = driver_.session();
  click_on("Back to this model's defaults");
  EXPECT_EQ(driver_.session(), start) << "nothing differs";
  driver_.app().apply(ChangeSettings{{{"architecture.heads", 8.0}, {"attention.causal", true}}});
  driver_.app().apply(ChangeSettings{{{"architecture.softcap", 50.0}}});
  driver_.paste_sentence("one two three");
  const Session before = driver_.session();
  click_on("Back to this model's defaults");
  EXPECT_EQ(architecture(), start.architecture);
  EXPECT_EQ(driver_.session().attention, start.attention);
  EXPECT_EQ(driver_.session().sentence, "one two three");
  driver_.press(CommandId::undo);
  EXPECT_EQ(driver_.session().architecture, before.architecture);
  EXPECT_TRUE(driver_.session().attention.mask.causal);
}

TEST_F(SettingsPanelTest, ABundledModelComesBackWithItsWeights) {
  driver_.press(CommandId::open_pronouns);
  driver_.wait_until("pronouns", [&] { return driver_.session().model != nullptr; });
  driver_.settle();
  const Session opened = driver_.session();
  driver_.app().apply(ChangeSettings{{{"attention.temperature", 2.0}, {"attention.scale", false}}});
  driver_.settle();
  click_on("Back to this model's defaults");
  EXPECT_EQ(driver_.session().attention, opened.attention);
  EXPECT_EQ(driver_.session().model, opened.model);
}

TEST_F(SettingsPanelTest, DraggingHeadsGoesThroughDivisorsAndDModelThroughMultiples) {
  const auto drag = [&](std::string_view label, float from, float to) {
    const Box box = in_panel(label).front();
    const float y = box.bottom() + 10.0F;
    driver_.window().mouse_move(from, y);
    driver_.window().mouse_down();
    for (int i = 0; i <= 40; ++i) {
      driver_.window().mouse_move(std::lerp(from, to, static_cast<float>(i) / 40.0F), y);
      driver_.frames(2);
      EXPECT_TRUE(validate(architecture())) << architecture().d_model << " by " << architecture().n_heads;
      EXPECT_EQ(architecture().d_model % architecture().n_heads, 0);
      EXPECT_EQ(driver_.app().error(), "");
    }
    driver_.window().mouse_up();
    driver_.settle();
  };
  driver_.app().apply(ChangeSettings{{{"architecture.d_model", 60.0}, {"architecture.heads", 5.0}}});
  driver_.settle();
  drag("heads", 40.0F, 220.0F);
  EXPECT_GT(architecture().n_heads, 5);
  drag("heads", 220.0F, 100.0F);
  driver_.app().apply(ChangeSettings{{{"architecture.d_model", 60.0}, {"architecture.heads", 12.0}}});
  driver_.settle();
  drag("d_model", 120.0F, 160.0F);
  EXPECT_NE(architecture().d_model, 60);
}

TEST_F(SettingsPanelTest, ANumberThatCannotBeChangesNothingMovesNothingAndOffersTheNearest) {
  const auto before = driver_.app().trace();
  const auto places = [&] {
    std::vector<float> all;
    for (const char* label : {"d_model", "heads", "layers", "temperature", "Causal mask", "Mask", "Picture"})
      all.push_back(in_panel(label).front().y);
    return all;
  };
  const auto at_rest = places();
  type_value("d_model", "65");
  EXPECT_EQ(architecture().d_model, 64);
  EXPECT_TRUE(screen_contains("65 is not divisible by 4 heads"));
  EXPECT_EQ(places(), at_rest);
  EXPECT_EQ(driver_.app().error(), "");
  EXPECT_EQ(driver_.app().trace(), before) << "no map is of other sizes than it says";
  const auto offered = find_letters("68");
  ASSERT_FALSE(offered.empty());
  driver_.click({offered.front().x + 4.0F, offered.front().y + 4.0F});
  EXPECT_EQ(architecture().d_model, 68);
  EXPECT_EQ(driver_.trace().value({StageKind::input}).cols, 68);
  EXPECT_FALSE(screen_contains("is not divisible"));
  EXPECT_EQ(places(), at_rest);
}

TEST_F(SettingsPanelTest, SizesThatAFileBroughtSayWhatIsWrongInTheSamePlace) {
  const float before = in_panel("heads").front().y;
  driver_.set_sizes(65, 4);
  EXPECT_TRUE(screen_contains("65 is not divisible by 4 heads"));
  EXPECT_EQ(in_panel("heads").front().y, before);
}

TEST_F(SettingsPanelTest, ASwitchThatCannotBeSaysWhy) {
  driver_.app().apply(ChangeSettings{{{"architecture.linear_attention", true}}});
  driver_.settle();
  click_on("Positions");
  EXPECT_TRUE(in_panel("Sinks").empty()) << "what has no place beside linear attention is not offered";
  const Session before = driver_.session();
  const auto list = in_panel("sinusoidal");
  ASSERT_FALSE(list.empty());
  driver_.click({list.back().x + 4.0F, list.back().y + 4.0F});
  driver_.frames(2);
  const auto rotary = find_text("rotary");
  ASSERT_FALSE(rotary.empty());
  driver_.click({rotary.back().x + 4.0F, rotary.back().y + 4.0F});
  EXPECT_EQ(driver_.session(), before);
  EXPECT_TRUE(screen_contains("rotary positions could make its scores negative"));
}

TEST(SettingsPanelOfASmallWindow, ScrollsAsAWhole) {
  AppDriver driver({1280, 800}, 4.0F);
  driver.app().screen().column = 1;
  driver.settle();
  EXPECT_FALSE(find_text("Find a setting").empty());
  EXPECT_FALSE(screen_contains("Back to this model's defaults")) << "it is further down";
}

struct PanelLook {
  PixelSize size;
  float scale;
  float width;
};
class EveryPanel : public testing::TestWithParam<PanelLook> {};

/// With every group open, nothing may extend beyond the panel and no two texts may overlap.
TEST_P(EveryPanel, HoldsItsControls) {
  const auto [size, scale, width] = GetParam();
  AppDriver driver(size, scale);
  driver.app().screen().panels.controls = width;
  for (const char* group : group_names) driver.app().screen().settings.open.insert(group);
  driver.app().apply(ChangeSettings{{{"attention.window", 4.0},
                                     {"architecture.d_ff", 256.0},
                                     {"architecture.sliding_window", 4.0},
                                     {"architecture.positions", std::string("rotary")},
                                     {"architecture.softcap", 50.0},
                                     {"architecture.d_head", 16.0},
                                     {"architecture.kv_heads", 2.0}}});
  driver.settle();
  const float right = (12.0F + width) * scale;
  std::vector<ScreenText> words = read_screen();
  std::erase_if(words, [&](const ScreenText& word) {
    return word.box().x >= right - 2.0F || word.box().y < 112.0F * scale ||
           word.box().bottom() > static_cast<float>(size.height) - 32.0F * scale;
  });
  EXPECT_GT(words.size(), 8U);
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_LE(words[i].box().right(), right) << words[i].text;
    for (std::size_t j = 0; j < i; ++j) {
      const Box a = words[i].box();
      const Box b = words[j].box();
      const float w = std::min(a.right(), b.right()) - std::max(a.x, b.x);
      const float h = std::min(a.bottom(), b.bottom()) - std::max(a.y, b.y);
      EXPECT_FALSE(w > 1.0F && h > 1.0F) << words[i].text << " on " << words[j].text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Looks, EveryPanel,
                         testing::Values(PanelLook{{1280, 3200}, 1.0F, 180.0F},
                                         PanelLook{{1280, 3200}, 1.0F, 248.0F},
                                         PanelLook{{1920, 3200}, 1.0F, 420.0F},
                                         PanelLook{{2560, 6000}, 2.0F, 180.0F},
                                         PanelLook{{4800, 9000}, 4.0F, 248.0F}));

TEST(SettingsPanelAtAnyScale, ScrollsOnlyTheSettings) {
  for (const float scale : {1.0F, 1.125F, 1.25F, 1.375F, 1.5F, 2.0F}) {
    Settings settings;
    settings.ui_scale = scale;
    AppDriver driver({static_cast<int>(1280.0F * scale), static_cast<int>(800.0F * scale)}, 1.0F, settings);
    const std::vector<DrawnPanel> panels = drawn_panels();
    const auto panel = std::ranges::find(panels, "controls", &DrawnPanel::name);
    ASSERT_NE(panel, panels.end()) << scale;
    EXPECT_FALSE(panel->scrolls) << scale;
  }
}

}  // namespace
}  // namespace headscope
