#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/engine/opening.h"
#include "core/model/interventions.h"
#include "core/system/process.h"
#include "core/text/number_text.h"
#include "core/trace/place_text.h"
#include "tests/gui/app_driver.h"
#include "tests/gui/screen_reader.h"
#include "tests/unit/session/with.h"

namespace headscope {
namespace {

/// Clicks on a text of the page. The settings to the left of it contain the same words.
void click_text(AppDriver& driver, std::string_view text) {
  constexpr float settings_end = 260.0F;
  auto written = find_text(text);
  std::erase_if(written, [](const Box& box) { return box.x < settings_end; });
  ASSERT_FALSE(written.empty()) << text;
  const Box& box = written.front();
  driver.click({box.x + box.w / 2.0F, box.y + box.h / 2.0F});
  driver.settle();
}

TEST(PositionsView, AClickChoosesPositionsAndThePictureFollows) {
  AppDriver driver;
  driver.app().apply(SetView{PageName::positions});
  driver.settle();
  EXPECT_TRUE(screen_contains("20 positions × 512 dimensions"));
  click_text(driver, "split halves");
  EXPECT_EQ(driver.session().architecture.positions, Positions::split);
  EXPECT_TRUE(screen_contains("sines"));
  EXPECT_TRUE(screen_contains("cosines"));
  click_text(driver, "11 × 64, as in the model");
  EXPECT_TRUE(screen_contains("11 positions × 64 dimensions"));
  click_text(driver, "ALiBi");
  EXPECT_EQ(driver.session().architecture.positions, Positions::alibi);
  EXPECT_TRUE(screen_contains("head 0, m 0.25"));
}

TEST(PositionsView, WithoutPositionsItOffersThem) {
  AppDriver driver;
  driver.app().apply(SetView{PageName::positions});
  driver.settle();
  click_text(driver, "none");
  EXPECT_EQ(driver.session().architecture.positions, Positions::none);
  EXPECT_TRUE(screen_contains("A bag of words"));
  click_text(driver, "Rotate pairs");
  EXPECT_EQ(driver.session().architecture.positions, Positions::rotary);
}

TEST(PositionsView, DrawsEveryKindInEveryKindOfModel) {
  AppDriver driver({1920, 1080});
  driver.app().apply(SetView{PageName::positions});
  for (const Stacks stacks : {Stacks::encoder, Stacks::decoder, Stacks::encoder_decoder}) {
    for (int kind = 0; kind <= static_cast<int>(Positions::alibi); ++kind) {
      Architecture a = driver.session().architecture;
      a.stacks = stacks;
      a.positions = static_cast<Positions>(kind);
      driver.app().apply(test::with(driver.session(), a));
      driver.app().apply(select_place(Stack::decoder, 0, AttentionKind::cross));
      driver.settle();
      EXPECT_EQ(driver.app().error(), "");
      const HeadId head = head_of(driver.session().selection.at(StageKind::weights));
      EXPECT_TRUE(screen_contains("Attention weights of " + head_text(driver.session().architecture, head)))
          << kind;
    }
  }
}

TEST(SplitView, ShowsTheDocumentsNumbersAndThoseOfThePass) {
  AppDriver driver{{1280, 1200}};
  driver.app().apply(SetView{PageName::split});
  driver.settle();
  for (const char* text : {"1 + 4 + 9 = 14", "14 / √3 = 8.083", "1 + 4 = 5", "5 / √2 = 3.536"}) {
    EXPECT_TRUE(screen_contains(text)) << text;
  }
  const int token = *driver.session().selection.token;
  for (int head = 0; head < 4; ++head) {
    StageId id = driver.session().selection.at(StageKind::weights);
    const auto weights = driver.trace().value(id).row(token);
    const auto key = static_cast<int>(std::ranges::max_element(weights) - weights.begin());
    id.head = head;
    id.kind = StageKind::raw;
    EXPECT_TRUE(screen_contains(rounded_text(driver.trace().number(id, token, key)))) << head;
    id.kind = StageKind::scaled;
    EXPECT_TRUE(screen_contains("= " + rounded_text(driver.trace().number(id, token, key)))) << head;
  }
}

/// No head of the model looks more clearly at either word, or at a third one.
TEST(SplitView, ShowsTwoRelationsThatOneHeadCannotHold) {
  AppDriver driver{{1280, 1200}};
  const auto session = startup_session(bundled_model_folders());
  ASSERT_TRUE(session.has_value());
  driver.app().apply(OpenSession{*session});
  driver.app().apply(SetView{PageName::split});
  driver.settle();
  EXPECT_TRUE(screen_contains("Two relations at once"));
  EXPECT_TRUE(
      screen_contains("From “it”, the model looks at “tired” in head 0.0 and at “animal” in head 1.0"));
  const Trace& trace = driver.trace();
  constexpr int it = 7;
  constexpr int animal = 1;
  constexpr int tired = 10;
  StageId id{.kind = StageKind::weights};
  const float of_tired = trace.number(id, it, tired);
  for (id.layer = 0; id.layer < 2; ++id.layer) {
    for (id.head = 0; id.head < 4; ++id.head) {
      for (int key = 0; key <= tired; ++key) {
        if (key == animal || key == it) continue;
        EXPECT_LE(trace.number(id, it, key), of_tired) << id.head << " " << key;
      }
    }
  }
}

TEST(SplitView, APinnedCellNamesTheKey) {
  AppDriver driver{{1280, 1200}};
  driver.app().apply(SetView{PageName::split});
  driver.app().apply(PinCell{{{.kind = StageKind::scaled}, 7, 1}});
  driver.settle();
  EXPECT_TRUE(screen_contains("“it” looks at “animal”"));
}

}  // namespace
}  // namespace headscope
