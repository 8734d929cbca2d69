// Tests the effects of heads on a prediction: they are shown, a head is switched off, and undo restores it.
#include <gtest/gtest.h>

#include "app/cli/resource_loader.h"
#include "core/engine/opening.h"
#include "core/page/pages.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"
#include "tests/unit/session/with.h"

namespace headscope {
namespace {

Settings pronouns_effects() {
  Settings settings;
  settings.session = reduce(default_session(), opening_action(files().model("pronouns").value()));
  settings.session.view = PageName::effects;
  return settings;
}

class Effects : public testing::Test {
 protected:
  Effects() {
    driver_.frames(2);
    driver_.wait_until("the effects are known", [&] { return is_known(); });
    driver_.frames(2);
  }
  bool is_known() { return parts() != nullptr && (*parts())->effects; }
  const Result<PredictionParts>* parts() {
    const ResultCache& results = driver_.app().screen().memo.results;
    const auto* asked = results.last<ExplainedPrediction>();
    const bool is_asked = asked != nullptr && asked->trace == driver_.app().trace();
    return is_asked ? results.ready_result(*asked) : nullptr;
  }
  const PartEffects& effects() { return *(*parts())->effects; }
  const Page& page() { return driver_.app().screen().pages[PageName::effects].page; }
  double probability_of_animal() {
    const Trace& trace = driver_.trace();
    const std::vector<std::string>& words = trace.vocabulary();
    const auto word = static_cast<int>(std::ranges::find(words, "animal") - words.begin());
    constexpr int it = 7;
    return static_cast<double>(trace.number({.kind = StageKind::probabilities}, it, word));
  }

  AppDriver driver_{{1600, 1000}, 1.0F, pronouns_effects()};
};

TEST_F(Effects, SayWhatSwitchingAHeadOffTakes) {
  EXPECT_TRUE(screen_contains("What each part of the model does to “animal” at “it”"));
  EXPECT_TRUE(screen_contains("What would change without head 1.0?"));
  EXPECT_TRUE(screen_contains("“animal” would lose"));
  EXPECT_NEAR(effects().probability, probability_of_animal(), 1e-5);
  EXPECT_EQ(effects().parts.size(), 8U + 2U + 2U) << "heads, feed-forward layers and whole layers";
}

/// A given weight stays in the session when a mask hides its cell, and can be removed there.
TEST(GivenWeight, ThatTheMaskHidesIsSaidNotToBeUsed) {
  Settings settings;
  settings.session = default_session();
  AppDriver driver{{1600, 1800}, 1.0F, settings};  // so high that the whole inspector is visible
  const GivenWeight given{{Stack::encoder, AttentionKind::self, 0, 0}, {1, 3}, 0.7F};
  driver.app().apply(PinCell{{{StageKind::weights}, 1, 3}});
  driver.app().apply(set_interventions(with_weight({}, given)));
  driver.settle();
  EXPECT_TRUE(screen_contains("an intervention gives this weight"));
  EXPECT_TRUE(screen_contains("let the scores decide"));
  EXPECT_FALSE(screen_contains("is not used"));
  AttentionOptions masked = driver.session().attention;
  masked.mask.causal = true;
  driver.app().apply(test::with(driver.session(), masked));
  driver.settle();
  EXPECT_EQ(driver.session().interventions.weights.size(), 1U);
  EXPECT_TRUE(screen_contains("the weight 0.7 that is given here is not used"));
  EXPECT_TRUE(screen_contains("let the scores decide"));
  masked.mask.causal = false;
  driver.app().apply(test::with(driver.session(), masked));
  driver.settle();
  EXPECT_FLOAT_EQ(driver.trace().number({.kind = StageKind::weights}, 1, 3), 0.7F);
}

TEST_F(Effects, AreWhatHappensWhenTheHeadIsOff) {
  const PartEffect last =
      *std::ranges::find(effects().parts.rbegin(), effects().parts.rend(), ModelPart::Kind::head,
                         [](const PartEffect& effect) { return effect.part.kind; });
  const HeadId& head = last.part.place;
  driver_.app().apply(select_place(head.stack, head.layer, head.attention));
  driver_.app().apply(select_head(head.head));
  driver_.press(CommandId::toggle_head_off);
  driver_.settle();
  EXPECT_NEAR(probability_of_animal(), last.probability, 1e-4);
  EXPECT_TRUE(screen_contains("Interventions: layer 1, head 3 off"));
  driver_.press(CommandId::undo);
  driver_.settle();
  EXPECT_TRUE(driver_.session().interventions.empty());
  EXPECT_NEAR(probability_of_animal(), effects().probability, 1e-5);
}

/// The mean of a row over texts is chosen in the inspector, and the texts may be given.
TEST(PatchedRow, IsReplacedByItsMeanOrScaledForEveryToken) {
  AppDriver driver({1600, 1400}, 1.0F, pronouns_effects());
  const StageId stage{StageKind::feed_forward_output, Stack::encoder, 1};
  driver.app().apply(SetView{PageName::explore});
  driver.app().apply(PinCell{{stage, 7, 3}});
  driver.settle();
  const auto click = [&](const char* label) {
    const std::vector<Box> found = find_text(label);
    ASSERT_FALSE(found.empty()) << label;
    driver.click({found.back().x + 2.0F, found.back().y + found.back().h / 2.0F});
    driver.settle();
    driver.frames(2);
  };
  const auto patches = [&] { return driver.session().interventions.patches; };
  click("mean");
  ASSERT_EQ(patches().size(), 1U);
  EXPECT_EQ(patches().front(), (Patch{stage, 7, PatchSource::mean}));
  EXPECT_TRUE(screen_contains("held-out sentences"));
  EXPECT_TRUE(screen_contains("is its mean over other texts"));
  click("every token");
  ASSERT_EQ(patches().size(), 1U);
  EXPECT_EQ(patches().front(), (Patch{stage, every_row, PatchSource::mean}));
  const MatrixView rows = driver.trace().value(stage);
  for (int row = 1; row < rows.rows; ++row) EXPECT_EQ(rows(row, 3), rows(0, 3)) << "the same mean everywhere";
  click("computed");
  EXPECT_TRUE(patches().empty()) << "a factor of 1 changes nothing";
}

TEST_F(Effects, AClickOnALineSelectsItsHead) {
  const auto line = std::ranges::find_if(page().regions, [](const HitRegion& region) {
    const auto* bar = std::get_if<ModelPart>(&region.meaning);
    return bar != nullptr && *bar == ModelPart{.place = {Stack::encoder, AttentionKind::self, 0, 2}};
  });
  ASSERT_NE(line, page().regions.end());
  const std::vector<Box> labels = find_text("0.2");
  ASSERT_FALSE(labels.empty());
  const std::optional<int> token = driver_.session().selection.token;
  driver_.click({labels.front().x + 2.0F, labels.front().y + labels.front().h / 2.0F});
  driver_.settle();
  EXPECT_EQ(driver_.session().selection.layer, 0);
  EXPECT_EQ(driver_.session().selection.head, 2);
  EXPECT_EQ(driver_.session().selection.token, token);
}

/// The window is so high that the sections below the table are visible.
TEST(Attribution, StandsBesideAttentionAndFollowsTheSelectedHead) {
  AppDriver driver{{1600, 1800}, 1.0F, pronouns_effects()};
  driver.wait_until("the circuits are known", [] { return screen_contains("it promotes"); });
  driver.settle();
  EXPECT_TRUE(screen_contains("Which tokens the logit of “animal” rests on"));
  EXPECT_TRUE(screen_contains("gradient × input"));
  EXPECT_TRUE(screen_contains("Head 1.0 looks most at “animal” (0.99"));
  EXPECT_TRUE(screen_contains("What head 1.0 would do with these tokens"));
  EXPECT_TRUE(screen_contains("Where it would look (QK)"));
  EXPECT_TRUE(screen_contains("What it would write (OV)"));
  EXPECT_TRUE(screen_contains("Singular values"));
  const Page& page = driver.app().screen().pages[PageName::effects].page;
  const auto map = std::ranges::find_if(page.regions, [](const HitRegion& region) {
    return std::holds_alternative<TableCells>(region.meaning);
  });
  ASSERT_NE(map, page.regions.end());
  const std::vector<Box> labels = find_text("0.2");
  ASSERT_FALSE(labels.empty());
  driver.click({labels.front().x + 2.0F, labels.front().y + labels.front().h / 2.0F});
  driver.settle();
  driver.wait_until("the other head's circuits are known", [] {
    return screen_contains("What head 0.2 would do with these tokens") && screen_contains("it promotes");
  });
  EXPECT_TRUE(screen_contains("attention × gradient of 0.2"));
  driver.app().apply(set_selected(&Selection::word, "street"));
  driver.settle();
  driver.wait_until("the other word is attributed",
                    [] { return screen_contains("speaks most for this logit"); });
  EXPECT_TRUE(screen_contains("Which tokens the logit of “street” rests on"));
}

TEST(Attribution, SaysWhyAChangedPassHasNone) {
  Settings settings = pronouns_effects();
  settings.session.interventions.heads = {{{Stack::encoder, AttentionKind::self, 1, 0}, 0.0F, Pattern::own}};
  AppDriver driver{{1600, 1800}, 1.0F, settings};
  driver.wait_until("the reason is known", [] { return screen_contains("No gradients: an intervention"); });
  EXPECT_FALSE(screen_contains("gradient × input"));
}

TEST_F(Effects, AnotherWordIsAskedAboutByAClick) {
  driver_.app().apply(set_selected(&Selection::word, "street"));
  driver_.settle();
  driver_.frames(3);
  EXPECT_TRUE(screen_contains("What each part of the model does to “street”"));
}

TEST_F(Effects, AreComputedNoMoreWhereAnotherPageIsShown) {
  driver_.app().apply(SetView{PageName::stages});
  driver_.settle();
  driver_.frames(2);
  EXPECT_EQ(driver_.app().screen().memo.results.last<ExplainedPrediction>(), nullptr);
}

TEST_F(Effects, OfAViewThatAKeyOpensStay) {
  driver_.press(PageName::stages);
  driver_.press(PageName::effects);
  driver_.wait_until("the effects are known", [&] { return is_known(); });
  driver_.frames(5);
  EXPECT_TRUE(is_known());
}

TEST_F(Effects, WithoutWordsSayWhatIsMissing) {
  Architecture bare = driver_.session().architecture;
  bare.output_layer = OutputLayer::none;
  driver_.app().apply(OpenModel{nullptr});
  driver_.app().apply(test::with(driver_.session(), bare));
  driver_.settle();
  driver_.frames(2);
  EXPECT_TRUE(screen_contains("This model predicts no words"));
}

}  // namespace
}  // namespace headscope
