#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/page/pages.h"
#include "tests/unit/page/page_helpers.h"

namespace headscope {
namespace {

using test::inputs_of;
using test::items_of;
using test::uniform_measure;

constexpr PageSize size{1280.0F, 800.0F};

std::string texts_at(Session session, int step) {
  session.watch_step = step;
  const PageInputs in = inputs_of(session);
  const Page page = test::page_of_session(in, PageName::watch, size, uniform_measure());
  PageMemo memo;
  PageTools tools{uniform_measure(), 0, memo};
  std::string all = watch_headline(in, tools).answer_text() + " ";
  for (const Label& label : items_of<Label>(page.figure)) all += label.text + " ";
  return all;
}

/// With dropout, the values are multiplied by the weights that remain, and the sum of the products is the
/// output.
TEST(WatchPage, UsesTheWeightsAfterDropout) {
  Session session = default_session();
  session.architecture.d_model = 8;
  session.architecture.n_heads = 4;
  EXPECT_EQ(texts_at(session, last_watch_step - 1).find("Dropout"), std::string::npos);
  session.attention.train = true;
  session.attention.dropout = 0.5F;
  EXPECT_NE(texts_at(session, last_watch_step - 1).find("Dropout sets some weights to 0"), std::string::npos);
  EXPECT_EQ(texts_at(session, last_watch_step).find("An intervention"), std::string::npos)
      << "the listed products add up to the output";
}

TEST(WatchPage, CountsTheWordsThatTheMaskLeavesVisible) {
  Session session = default_session();
  session.sentence = "a b c d e f g h i j k l m n o p q r s t";
  session.selection.token = 2;
  EXPECT_NE(texts_at(session, last_watch_step).find("largest weights, of 20."), std::string::npos);
  session.attention.mask.causal = true;
  const std::string causal = texts_at(session, last_watch_step);
  EXPECT_NE(causal.find("every word that the mask leaves visible (3 of 20)"), std::string::npos) << causal;
}

/// Readers can follow the sums of products if the numbers are whole. Rounded products must not claim to be
/// exact.
TEST(WatchPage, WritesTheFactorsOfProducts) {
  constexpr int multiply = 2;
  constexpr int weigh = 8;
  const Session session = reduce(default_session(), load_preset("Your own 2 × 2"));
  EXPECT_NE(texts_at(session, multiply).find("1 × 1 = 1"), std::string::npos) << texts_at(session, multiply);
  EXPECT_EQ(texts_at(session, multiply + 1).find(" = "), std::string::npos) << "the sums follow";
  EXPECT_NE(texts_at(session, weigh).find("0.670 × 3 ≈ 2.009"), std::string::npos)
      << texts_at(session, weigh);
}

/// The legend of the colours does not touch the title of its column, however narrow the page is.
TEST(WatchPage, PutsTheLegendBesideTheTitle) {
  Session session = default_session();
  for (const int step : {1, last_watch_step}) {
    session.watch_step = step;
    for (const float width : {360.0F, 432.0F, 640.0F, 1280.0F}) {
      const Page page =
          test::page_of_session(inputs_of(session), PageName::watch, {width, 600.0F}, uniform_measure());
      const std::vector<Label> labels = items_of<Label>(page.figure);
      const auto legend = std::ranges::find(labels, "negative", &Label::text);
      if (legend == labels.end()) continue;
      for (const Label& label : labels) {
        const float right = label.at.x + uniform_measure()(label.text, label.font, label.size).width;
        const bool is_left = label.at.y == legend->at.y && label.at.x < legend->at.x;
        EXPECT_FALSE(is_left && right > legend->at.x - 14.0F) << step << " " << width << " " << label.text;
      }
    }
  }
}

}  // namespace
}  // namespace headscope
