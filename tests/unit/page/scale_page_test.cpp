#include "core/page/scale/scale_page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <variant>

#include "core/text/number_text.h"
#include "tests/unit/page/page_helpers.h"

namespace headscope {
namespace {

using test::inputs_of;
using test::items_of;
using test::page_of_session;
using test::uniform_measure;

bool scale_tells(const Page& page, const std::string& text) {
  return std::ranges::any_of(page.figure.items, [&](const Item& item) {
    const auto* label = std::get_if<Label>(&item);
    return label != nullptr && label->text.find(text) != std::string::npos;
  });
}

Page scale_of(Session session, bool details = true) {
  session.picture.details = details;
  return page_of_session(inputs_of(session), PageName::scale, {1000.0F, 800.0F}, uniform_measure());
}

std::string scale_headline_of(const Session& session) {
  return test::headline_text(inputs_of(session), PageName::scale, uniform_measure());
}

Session trained_session() {
  const auto model = open_model("pronouns", {HEADSCOPE_SOURCE_DIR "/assets/models"});
  return model ? reduce(default_session(), opening_action(*model)) : default_session();
}

TEST(ScalePage, ShowsTheSelectedRowBothWays) {
  Session session = default_session();
  session.selection.token = 7;
  const Page page = scale_of(session);
  EXPECT_TRUE(scale_tells(page, "Divided by √d_head = √16 = 4"));
  EXPECT_TRUE(scale_tells(page, "Not divided"));
  EXPECT_NE(scale_headline_of(session).find("“it”"), std::string::npos);
  EXPECT_TRUE(scale_tells(page, "no task"));
  int n_jacobians = 0;
  int n_chips = 0;
  int n_heads = 0;
  for (const HitRegion& region : page.regions) {
    if (const auto* table = std::get_if<TableCells>(&region.meaning)) {
      ++n_jacobians;
      EXPECT_EQ(table->grid.n_rows, 11);
    }
    n_chips += std::holds_alternative<LineToken>(region.meaning) ? 1 : 0;
    n_heads += std::holds_alternative<ModelPart>(region.meaning) ? 1 : 0;
  }
  EXPECT_EQ(n_jacobians, 2);
  EXPECT_EQ(n_chips, 11);
  EXPECT_EQ(n_heads, 4);
}

TEST(ScalePage, WithoutDetailsEndsAtTheCurves) {
  const Page page = scale_of(default_session(), false);
  EXPECT_TRUE(scale_tells(page, "Largest weight by d_head"));
  EXPECT_FALSE(scale_tells(page, "Jacobian"));
}

TEST(ScalePage, ExplainsACellOfTheJacobian) {
  Session session = default_session();
  session.selection.token = 7;
  session.attention.mask.causal = true;
  const PageInputs in = inputs_of(session);
  PageMemo memo;
  const MeasureText measure = uniform_measure();
  PageTools tools{measure, 0, memo};
  const auto row = scaled_row(in, tools);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->keys.size(), 8U) << "later keys are hidden";
  const std::string same = describe_jacobian(in, tools, "jacobian divided", {1, 1});
  EXPECT_NE(same.find("∂ weight / ∂ score of “animal” = p (1 − p)"), std::string::npos) << same;
  const std::string other = describe_jacobian(in, tools, "jacobian undivided", {0, 1});
  EXPECT_NE(other.find("∂ weight of “The” / ∂ score of “animal” = −p_i p_j"), std::string::npos) << other;
  EXPECT_TRUE(describe_jacobian(in, tools, "another table", {0, 1}).empty());
  EXPECT_TRUE(describe_jacobian(in, tools, "jacobian divided", {8, 1}).empty()) << "beyond it";
}

TEST(ScalePage, GoesBackFromTheLossOfATrainedModel) {
  const Page page = scale_of(trained_session());
  EXPECT_TRUE(scale_tells(page, "Untrained, softmax lets"));
  EXPECT_TRUE(scale_tells(page, "After " + count_text(trained_session().model->steps, "training step")));
  EXPECT_TRUE(scale_tells(page, "all heads"));
}

TEST(ScalePage, SaysWhyThereIsNothing) {
  Session session = default_session();
  session.attention.softmax = SoftmaxAxis::queries;
  EXPECT_TRUE(scale_tells(scale_of(session), "Choose softmax over keys"));
  session = default_session();
  session.selection.token = 0;
  session.attention.mask.causal = true;
  EXPECT_NE(scale_headline_of(session).find("sees one key"), std::string::npos);
  session.attention.mask.padding = {0};
  EXPECT_NE(scale_headline_of(session).find("hides every key"), std::string::npos);
}

TEST(ScalePage, SaysWhatASinkAndAScaleOfItsOwnDo) {
  Session session = default_session();
  session.selection.token = 7;
  session.architecture.sinks = true;
  session.architecture.score_scale = 0.1F;
  const Page page = scale_of(session);
  EXPECT_TRUE(scale_tells(page, "taken by the sink"));
  EXPECT_TRUE(scale_tells(page, "Times the model's scale"));
  session.attention.scale = false;
  EXPECT_TRUE(scale_tells(scale_of(session), "as in this pass"));
}

TEST(ScalePage, NamesEveryFactor) {
  Session session = default_session();
  session.selection.token = 7;
  session.attention.temperature = 0.5F;
  EXPECT_TRUE(scale_tells(scale_of(session), "Divided by √d_head = √16 · 0.5 = 2"));
  EXPECT_TRUE(scale_tells(scale_of(session), "Divided by the temperature 0.5 alone"));
  session.architecture.score_scale = 2.0F;
  EXPECT_TRUE(scale_tells(scale_of(session), "Times the model's scale 2 / 0.5 = 4"));
  session.attention.temperature = 1.0F;
  EXPECT_TRUE(scale_tells(scale_of(session), "Times the model's scale 2"));
}

/// The page's sentences about a row of two scores.
std::string said_of(double divided, double undivided) {
  ScaledRow row;
  row.token = "it";
  row.factors.width = 16;
  row.factors.divided = divided;
  row.factors.undivided = undivided;
  row.divided = softmax_row({0.0, divided});
  row.undivided = softmax_row({0.0, undivided});
  row.keys = {0, 1};
  return Headline{"", sentences_of(row)}.text().substr(1);
}

TEST(ScalePage, SaysWhyMoreOrLessOfAGradientGetsThrough) {
  EXPECT_EQ(
      said_of(0.5, 3.0),
      "Not divided by √d_head, the largest weight of “it” is 0.953 instead of 0.622. The share of the gradient that gets through softmax to the scores is 0.090 instead of 0.470.");
  EXPECT_NE(said_of(3.0, 1.0).find("more of a gradient gets through, because the scores are smaller"),
            std::string::npos);
  const std::string alike = said_of(16.0, 20.0);
  EXPECT_NE(alike.find("is ≈1 as well. The share"), std::string::npos) << alike;
}

TEST(ScalePage, OneTokenLeavesNothingToCompare) {
  const Session session = reduce(default_session(), SetSentence{"alone"});
  const std::string headline = scale_headline_of(session);
  EXPECT_NE(headline.find("nothing to compare"), std::string::npos) << headline;
  EXPECT_EQ(headline.find("choose another token"), std::string::npos) << headline;
  EXPECT_FALSE(scale_tells(scale_of(session), "The mean norm"));
}

TEST(ScalePage, LongRowsAreCutToTheirStrongestKeys) {
  Session session = default_session();
  session.sentence.clear();
  for (int i = 0; i < 300; ++i) session.sentence += "w" + std::to_string(i) + " ";
  session = reduce(default_session(), SetSentence{session.sentence});
  session.selection.token = 200;
  const Page page = scale_of(session);
  EXPECT_TRUE(scale_tells(page, "the 96 with the largest"));
  for (const HitRegion& region : page.regions) {
    const auto* table = std::get_if<TableCells>(&region.meaning);
    if (table != nullptr) {
      EXPECT_EQ(table->grid.n_rows, 96);
    }
  }
}

/// The sizes are the room in a window of 1280 × 800 without the first-minute cards, and the room in a wider
/// one.
TEST(ScalePage, ShowsTheReasonTheRowAndTheCurvesOnTheFirstScreen) {
  Session session = default_session();
  session.selection.token = 7;
  for (const PageSize& room : {PageSize{640.0F, 570.0F}, PageSize{960.0F, 570.0F}}) {
    const Page page = page_of_session(inputs_of(session), PageName::scale, room, uniform_measure());
    EXPECT_TRUE(scale_tells(page, "A score q · k is the sum of"));
    for (const char* title : {"Largest weight by d_head", "Gradient let through by d_head"}) {
      const auto labels = items_of<Label>(page.figure);
      const auto found = std::ranges::find(labels, title, &Label::text);
      ASSERT_NE(found, labels.end()) << title;
      constexpr float chart = 150.0F;
      EXPECT_LE(found->at.y + chart, room.height) << title;
    }
    for (const HitRegion& region : page.regions) {
      if (std::holds_alternative<TableCells>(region.meaning)) {
        EXPECT_GE(region.box.h, 40.0F);
      }
    }
  }
}

TEST(ScalePage, LeavesOutKeysThatAFiniteValueHides) {
  Session session = default_session();
  session.selection.token = 7;
  session.attention.mask.causal = true;
  session.attention.mask_value = -2.5F;
  const PageInputs in = inputs_of(session);
  PageMemo memo;
  const MeasureText measure = uniform_measure();
  PageTools tools{measure, 0, memo};
  const auto row = scaled_row(in, tools);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->keys.size(), 8U);
  double hidden = 0.0;
  for (std::size_t key = 8; key < row->divided.weights.size(); ++key) hidden += row->divided.weights[key];
  EXPECT_TRUE(scale_tells(scale_of(session), "in place of their scores, they take " + rounded_text(hidden)));
  session.attention.mask_value = -1e9F;
  EXPECT_TRUE(scale_tells(scale_of(session), "The mask hides 3 of 11 keys: they are left out."));
}

TEST(ScalePage, SaysTimesTheModelsOwnScale) {
  Session session = default_session();
  session.selection.token = 7;
  session.architecture.score_scale = 0.3F;
  const Page page = scale_of(session);
  EXPECT_TRUE(scale_tells(page, "norm, times 0.3"));
  EXPECT_TRUE(scale_tells(page, "with scores times 0.3"));
  EXPECT_FALSE(scale_tells(page, "norm, divided"));
}

TEST(ScalePage, CountsNoHeadWithoutAChoice) {
  Session session = default_session();
  session.selection.token = 7;
  // Every query of the first head sees itself alone.
  auto mask = std::make_shared<LoadedMask>();
  const int n = 11;
  mask->name = "mask.npy";
  mask->n_heads = session.architecture.n_heads;
  mask->rows = n;
  mask->cols = n;
  for (int head = 0; head < mask->n_heads; ++head)
    for (int cell = 0; cell < n * n; ++cell)
      mask->values.push_back(head > 0 || cell / n == cell % n ? 1.0F : 0.0F);
  session.attention.mask.loaded = {mask};
  session.architecture.n_layers = 1;
  const Page page = scale_of(session);
  EXPECT_TRUE(scale_tells(page, "no row"));
  const int others = session.architecture.n_heads - 1;
  EXPECT_TRUE(scale_tells(page, "over the " + std::to_string(others) + " heads with a query"));
}

}  // namespace
}  // namespace headscope
