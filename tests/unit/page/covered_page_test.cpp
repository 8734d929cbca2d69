// No other page may reveal the cells that an exercise covers, neither by colours nor in words.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/figure/diagram.h"
#include "core/page/figure_file.h"
#include "core/page/page_numbers.h"
#include "core/page/parts/small_pictures.h"
#include "tests/unit/page/page_helpers.h"

namespace headscope {
namespace {

using test::inputs_of;
using test::items_of;
using test::uniform_measure;

constexpr int query = 7;
constexpr PageSize size{1280.0F, 900.0F};

/// The bundled model with all weights of its selected head covered. An intervention sets one of them to
/// `weight`.
PageInputs with_covered_weights(float weight) {
  const auto model = open_model("pronouns", {HEADSCOPE_SOURCE_DIR "/assets/models"});
  EXPECT_TRUE(model);
  Session session = reduce(default_session(), opening_action(*model));
  session = reduce(session, SelectToken{query});
  const StageId weights = session.selection.at(StageKind::weights);
  session.interventions =
      with_weight(session.interventions,
                  {{weights.stack, weights.attention, weights.layer, weights.head}, query, 1, weight});
  session.cover.stage = canonical(session.architecture, weights);
  session.cover.all = true;
  return inputs_of(session);
}

std::string texts_of(const Page& page) {
  std::string all;
  for (const Label& label : items_of<Label>(page.figure)) all += label.text + " ";
  return all;
}

TEST(CoveredPage, TheDiagramShowsTheSameForAnyCoveredNumber) {
  std::vector<Figure> shown;
  for (const float weight : {0.1F, 0.9F}) {
    const PageInputs in = with_covered_weights(weight);
    const StageId weights = in.at(StageKind::weights);
    PageMemo memo;
    PageTools tools{uniform_measure(), 0, memo};
    page_of(in, PageName::model, size, tools);
    const auto* pictures = memo.results.last<SmallPictures>();
    ASSERT_NE(pictures, nullptr);
    const auto found = std::ranges::find(pictures->asked, weights, &SmallPicture::stage);
    ASSERT_NE(found, pictures->asked.end());
    const auto* figures = memo.results.ready_result(*pictures);
    ASSERT_TRUE(figures != nullptr && *figures);
    shown.push_back((*figures)->at(static_cast<std::size_t>(found - pictures->asked.begin())));
    EXPECT_FALSE(shown.back().items.empty());
  }
  EXPECT_EQ(shown.front(), shown.back());
}

TEST(CoveredPage, PagesThatSpeakOfCoveredWeightsAreNotShown) {
  const PageInputs in = with_covered_weights(0.9F);
  for (const PageName name :
       {PageName::effects, PageName::split, PageName::lines, PageName::watch, PageName::scale}) {
    const std::string texts = texts_of(test::page_of_session(in, name, size, uniform_measure()));
    EXPECT_NE(texts.find("are covered"), std::string::npos) << page_record(name).title << ": " << texts;
    if (page_record(name).numbers != nullptr) {
      EXPECT_FALSE(numbers_of_page(in, name)) << page_record(name).title;
    }
  }
  const PageNumbers heads = numbers_of_page(in, PageName::heads);
  ASSERT_TRUE(heads);
  const HeadIndex covered{in.session.cover.stage->layer, in.session.cover.stage->head};
  for (const auto& row : heads->front().rows) {
    const HeadIndex place{static_cast<int>(std::get<std::int64_t>(row[1])),
                          static_cast<int>(std::get<std::int64_t>(row[2]))};
    const bool is_measured =
        std::ranges::any_of(row, [](const TableCell& cell) { return std::holds_alternative<double>(cell); });
    EXPECT_EQ(is_measured, place != covered) << place.layer << "." << place.head;
  }
}

TEST(CoveredPage, AnExerciseOnScoresShowsNoWeightsAndNoArcs) {
  PageInputs in = with_covered_weights(0.9F);
  const auto said = [&] {
    return texts_of(test::page_of_session(in, PageName::explore, size, uniform_measure())) +
           texts_of(test::page_of_session(in, PageName::inspector, size, uniform_measure()));
  };
  in.session.cover.stage = in.at(StageKind::scaled);
  in.session.cover.all = false;
  EXPECT_EQ(said().find("arcs for weights"), std::string::npos) << "although no score is left to be found";
  EXPECT_NE(said().find("Not shown during this exercise"), std::string::npos);
  in.session.cover.solution = true;
  EXPECT_NE(said().find("arcs for weights"), std::string::npos);
}

TEST(CoveredPage, TheAnswerIsNotSpokenOfWhereItIsCovered) {
  PageInputs in = with_covered_weights(0.9F);
  in.session.cover.stage = StageId{.kind = StageKind::logits};
  for (const PageName name : {PageName::effects, PageName::words}) {
    const std::string texts = texts_of(test::page_of_session(in, name, size, uniform_measure()));
    EXPECT_NE(texts.find("are covered"), std::string::npos) << page_record(name).title << ": " << texts;
  }
}

}  // namespace
}  // namespace headscope
