#include "core/page/heads/heads_page.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <utility>

#include "core/measures/measure.h"
#include "core/session/names.h"
#include "core/session/settings.h"
#include "tests/unit/page/page_helpers.h"

namespace headscope {
namespace {

using test::inputs_of;
using test::items_of;
using test::uniform_measure;

constexpr PageSize usual{912.0F, 752.0F};

Session of_model(const std::string& name) {
  const auto model = open_model(name, {HEADSCOPE_SOURCE_DIR "/assets/models"});
  EXPECT_TRUE(model);
  return reduce(default_session(), opening_action(*model));
}

Session twelve_by_twelve() {
  Session session = default_session();
  session.architecture.n_layers = 12;
  session.architecture.n_heads = 12;
  session.architecture.d_model = 96;
  session.selection.token.reset();
  return session;
}

Page heads_page_of(const PageInputs& in, const PageSize& size = usual) {
  return test::page_of_session(in, PageName::heads, size, uniform_measure());
}

std::vector<HeadIndex> order_of(const PageInputs& in) {
  PageMemo memo;
  PageTools tools{uniform_measure(), 0, memo};
  return shown_heads(in, head_values(in, tools));
}

HeadValues values_of(const PageInputs& in) {
  PageMemo memo;
  PageTools tools{uniform_measure(), 0, memo};
  return head_values(in, tools);
}

bool says(const Page& page, std::string_view text) {
  std::string all;
  for (const Label& label : items_of<Label>(page.figure)) all += label.text + " ";
  return all.find(text) != std::string::npos;
}

std::vector<Box> tiles(const Page& page) {
  std::vector<Box> boxes;
  for (const HitRegion& region : page.regions) {
    if (std::holds_alternative<HeadIndex>(region.meaning)) boxes.push_back(region.box);
  }
  return boxes;
}

TEST(HeadsPage, AllHeadsOfAllLayersFitIntoASmallWindow) {
  const PageInputs in = inputs_of(twelve_by_twelve());
  constexpr PageSize room{648.0F, 470.0F};  // the room for a page in a window of 1280 × 800
  const Page page = heads_page_of(in, room);
  const std::vector<Box> boxes = tiles(page);
  ASSERT_EQ(boxes.size(), 144U);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    EXPECT_GE(boxes[i].x, 0.0F);
    EXPECT_LE(boxes[i].right(), room.width);
    EXPECT_LE(boxes[i].bottom(), room.height);
    EXPECT_GE(std::min(boxes[i].w, boxes[i].h), 20.0F);
    for (std::size_t j = 0; j < i; ++j) {
      const bool apart = boxes[i].x >= boxes[j].right() || boxes[j].x >= boxes[i].right() ||
                         boxes[i].y >= boxes[j].bottom() || boxes[j].y >= boxes[i].bottom();
      EXPECT_TRUE(apart) << i << " and " << j;
    }
  }
  for (const char* name : {"0.0", "3.7", "11.11"}) EXPECT_TRUE(says(page, name)) << name;
}

TEST(HeadsPage, SortsAndKeepsEqualsInTheModelsOrder) {
  PageInputs in = inputs_of(twelve_by_twelve());
  const std::vector<HeadIndex> model = order_of(in);
  ASSERT_EQ(model.size(), 144U);
  EXPECT_TRUE(std::ranges::is_sorted(model));
  const HeadValues values = values_of(in);
  ASSERT_TRUE(values.heads);
  for (const MeasureRecord& record : measure_table) {
    in.session.heads.sorted_by = record.measure;
    const std::vector<HeadIndex> sorted = order_of(in);
    ASSERT_EQ(std::set(sorted.begin(), sorted.end()).size(), 144U) << record.name;
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      const auto value = [&](std::size_t at) {
        constexpr double none = std::numeric_limits<double>::lowest();
        return value_of(values.heads->at(sorted[at]), record.measure).value_or(none);
      };
      EXPECT_GE(value(i - 1), value(i)) << record.name;
      if (value(i - 1) == value(i)) {
        EXPECT_LT(sorted[i - 1], sorted[i]) << "stable";
      }
    }
  }
  in.session.heads.sorted_by = HeadMeasure::noun;
  EXPECT_EQ(order_of(in), model) << "no head has one";
}

/// A head's place in the order, and whether it is listed at all, would reveal its measure.
TEST(HeadsPage, TheOrderTellsNothingOfACoveredHead) {
  PageInputs in = inputs_of(of_model("pronouns"));
  const HeadIndex best{in.trace_model->layer, in.trace_model->head};
  in.session.heads.sorted_by = HeadMeasure::noun;
  ASSERT_EQ(order_of(in).front(), best);
  StageId weights = in.at(StageKind::weights);
  weights.layer = best.layer;
  weights.head = best.head;
  in.session.cover.stage = canonical(in.trace->architecture(), weights);
  in.session.cover.all = true;
  EXPECT_EQ(order_of(in).back(), best);
  in.session.heads.min_value = 2.0F;
  EXPECT_EQ(order_of(in), std::vector{best}) << "it is left out by no value";
  in.session.cover.solution = true;
  EXPECT_TRUE(order_of(in).empty());
}

TEST(HeadsPage, TellsTheScoresOfTransformerLensUnderTheirNames) {
  PageInputs in = inputs_of(of_model("copying"));
  const HeadValues values = values_of(in);
  const HeadIndex place{in.session.selection.layer, in.session.selection.head};
  const std::string scores = "detect_head of TransformerLens: previous_token_head";
  EXPECT_FALSE(says(heads_page_of(in), scores)) << "these are details";
  in.session.picture.details = true;
  const Page page = heads_page_of(in);
  EXPECT_TRUE(says(page, scores));
  const double score = value_of(values.heads->at(place), HeadMeasure::induction_mul).value_or(-1.0);
  EXPECT_TRUE(says(page, measure_text(HeadMeasure::induction_mul, score) + " (mul)"));
  in.session.heads.detector.exclude_bos = true;
  EXPECT_TRUE(says(heads_page_of(in), "TransformerLens, exclude_bos"));
  const HeadValues without = values_of(in);
  EXPECT_NE(value_of(without.heads->at(place), HeadMeasure::induction_mul),
            value_of(values.heads->at(place), HeadMeasure::induction_mul));
  EXPECT_EQ(value_of(without.heads->at(place), HeadMeasure::induction),
            value_of(values.heads->at(place), HeadMeasure::induction));
}

TEST(HeadsPage, LeavesOutWhatIsBelowTheLeast) {
  PageInputs in = inputs_of(of_model("pronouns"));
  in.session.heads.sorted_by = HeadMeasure::noun;
  in.session.heads.min_value = 0.7F;
  const HeadValues values = values_of(in);
  const std::vector<HeadIndex> shown = order_of(in);
  ASSERT_FALSE(shown.empty());
  EXPECT_LT(shown.size(), 8U);
  for (const HeadIndex& place : shown)
    EXPECT_GE(value_of(values.heads->at(place), HeadMeasure::noun).value_or(0.0), 0.7);
  EXPECT_EQ(shown.front(), (HeadIndex{in.trace_model->layer, in.trace_model->head}));
  in.session.heads.min_value = 2.0F;
  EXPECT_TRUE(says(heads_page_of(in), "No head reaches this value"));
  EXPECT_TRUE(tiles(heads_page_of(in)).empty());
}

TEST(HeadsPage, SaysWhatTheSelectedHeadDoes) {
  PageInputs in = inputs_of(of_model("pronouns"));
  const Page page = heads_page_of(in, {1300.0F, 752.0F});
  const HeadValues values = values_of(in);
  const HeadIndex place{in.session.selection.layer, in.session.selection.head};
  const double looks = value_of(values.heads->at(place), HeadMeasure::noun).value_or(-1.0);
  EXPECT_GT(looks, 0.99);
  const auto headline = [](const PageInputs& of) {
    return test::headline_text(of, PageName::heads, uniform_measure());
  };
  EXPECT_NE(headline(in).find("looks from a pronoun at the noun that it stands for: " +
                              measure_text(HeadMeasure::noun, looks)),
            std::string::npos)
      << headline(in);
  EXPECT_TRUE(says(page, "punctuation (there is no punctuation)")) << "and why a measure is absent";
  in.session.heads.measured_on = MeasuredOn::task;
  EXPECT_NE(headline(in).find("200 held-out sentences of its task"), std::string::npos) << headline(in);
  PageInputs untrained = inputs_of(default_session());
  untrained.session.heads.measured_on = MeasuredOn::task;
  EXPECT_NE(headline(untrained).find("Not measured: the model was not trained for a task."),
            std::string::npos);
}

TEST(HeadsPage, SaysWhatIsDoneToAHead) {
  Session session = of_model("pronouns");
  session.interventions.heads = {{{.layer = 0, .head = 1}, 0.5F}, {{.layer = 1, .head = 0}, 0.0F}};
  session.interventions.heads.insert(session.interventions.heads.begin() + 1,
                                     {{.layer = 0, .head = 2}, 1.0F, Pattern::uniform});
  PageInputs in = inputs_of(session);
  ASSERT_NE(in.trace, nullptr);
  for (const PageSize& size : {usual, PageSize{400.0F, 300.0F}, PageSize{1600.0F, 900.0F}}) {
    const Page page = heads_page_of(in, size);
    for (const char* mark : {"off", "×0.5", "uniform"}) EXPECT_TRUE(says(page, mark)) << mark;
  }
  EXPECT_TRUE(says(test::page_of_session(in, PageName::explore, usual, uniform_measure()), "off"));
  in.session.heads.measured_on = MeasuredOn::random;
  const HeadValues changed = values_of(in);
  const HeadValues own = [&] {
    PageInputs unchanged = inputs_of(of_model("pronouns"));
    unchanged.session.heads.measured_on = MeasuredOn::random;
    return values_of(unchanged);
  }();
  EXPECT_TRUE(changed.on.ends_with(", with the interventions")) << changed.on;
  constexpr HeadIndex uniform{0, 2};
  EXPECT_GT(value_of(changed.heads->at(uniform), HeadMeasure::entropy),
            value_of(own.heads->at(uniform), HeadMeasure::entropy));
  session.interventions.weights = {{{.layer = 1, .head = 1}, {1, 2}, 0.5F}};
  in = inputs_of(session);
  in.session.heads.measured_on = MeasuredOn::random;
  EXPECT_TRUE(values_of(in).on.ends_with("but not those on weights and rows of this sentence"));
}

TEST(EffectsPage, AHeadThatIsOffHasNoNumbers) {
  Session session = of_model("pronouns");
  session.interventions.heads = {{{.layer = 1, .head = 0}, 0.0F}};
  const Page page = test::page_of_session(inputs_of(session), PageName::effects, usual, uniform_measure());
  const std::vector<Label> labels = items_of<Label>(page.figure);
  EXPECT_EQ(std::ranges::count(labels, "off", &Label::text), 3);
  EXPECT_FALSE(says(page, "Switching off layer 1, head 0 "));
}

/// The three effects of a head that supports the word must lie on one side of 0 and have one colour. The last
/// bar, attention × gradient, is an estimate that may differ.
TEST(EffectsPage, TheSameFactHasOneColour) {
  const PageInputs in = inputs_of(of_model("pronouns"));
  const Page page = test::page_of_session(in, PageName::effects, usual, uniform_measure());
  int n_heads = 0;
  for (const HitRegion& region : page.regions) {
    const ModelPart* bar = std::get_if<ModelPart>(&region.meaning);
    if (bar == nullptr || bar->kind != ModelPart::Kind::head || bar->place.layer != 1) continue;
    std::vector<Color> colors;
    for (const FilledRect& rect : items_of<FilledRect>(page.figure)) {
      const float middle = rect.box.y + 0.5F * rect.box.h;
      const bool is_inside = rect.box.x < region.box.right() && middle > region.box.y &&
                             middle < region.box.bottom() && rect.rounding == 2.0F;
      if (is_inside) colors.push_back(rect.color);
    }
    ASSERT_EQ(colors.size(), 4U);
    EXPECT_EQ(colors[0], colors[2]) << "the head adds to the logit of the word";
    EXPECT_EQ(colors[0], colors[1]);
    ++n_heads;
  }
  EXPECT_EQ(n_heads, 4);
}

/// Orange means that something is selected, or that a number is negative.
TEST(Pages, NoDataHaveTheColourOfWhatIsSelected) {
  const PageInputs in = inputs_of(of_model("pronouns"));
  const Color accent = theme_of(in.session.picture.theme).accent;
  for (const PageName name : {PageName::words, PageName::effects, PageName::scale, PageName::inspector,
                              PageName::train, PageName::lines}) {
    const Page page = test::page_of_session(in, name, usual, uniform_measure());
    for (const Line& line : items_of<Line>(page.figure))
      EXPECT_FALSE(line.color.r == accent.r && line.color.g == accent.g) << enum_name(name);
    for (const FilledRect& rect : items_of<FilledRect>(page.figure))
      EXPECT_FALSE(rect.color == accent && rect.box.h > 3.0F) << enum_name(name);
  }
}

TEST(HeadsPage, RandomWeightsHaveNoLabels) {
  PageInputs in = inputs_of(default_session());
  const HeadValues values = values_of(in);
  EXPECT_TRUE(values.is_random);
  for (const HeadIndex& place : order_of(in)) EXPECT_FALSE(learned_role(values, place));
  HeadValues learned = values_of(inputs_of(of_model("pronouns")));
  EXPECT_TRUE(learned_role(learned, {1, 0}));
  const auto says_random = [&] {
    return std::ranges::any_of(head_sentences({1, 0}, learned),
                               [](const std::string& each) { return each.ends_with("weights are random."); });
  };
  EXPECT_FALSE(says_random());
  learned.is_random = true;
  EXPECT_TRUE(says_random());
}

TEST(HeadsPage, LabelsTellNoAnswer) {
  PageInputs in = inputs_of(of_model("pronouns"));
  EXPECT_FALSE(role_words(values_of(in), {1, 0}).title.empty());
  in.is_asked = in.asks_for_head = true;
  EXPECT_TRUE(role_words(values_of(in), {1, 0}).title.empty());
  EXPECT_TRUE(role_words(values_of(in), {1, 0}).number.empty());
}

TEST(HeadsPage, PicturesOfADifferenceLetGoOfItsPass) {
  Session session = reduce(default_session(), set_to("difference", true));
  PageInputs in = inputs_of(reduce(session, SetCompared{}));
  PageInputs other = inputs_of(default_session());
  const std::weak_ptr<const Trace> against = other.trace;
  in.compared = {{std::exchange(other.trace, nullptr), nullptr}};
  PageMemo memo;
  PageTools tools{uniform_measure(), 0, memo};
  ASSERT_NE(in.against(), nullptr);
  EXPECT_NE(thumbnails(in, tools, {{0, 0}}, 40.0F), nullptr);
  in.compared.clear();
  EXPECT_FALSE(against.expired());
  memo.results.mark_all_unused();
  thumbnails(in, tools, {{0, 0}}, 40.0F);
  memo.results.drop_unused(Lifetime::pass);
  EXPECT_TRUE(against.expired());
}

TEST(HeadsPage, OfCrossAttentionSaysWhatHasNoMeaning) {
  PageInputs in = inputs_of(of_model("reversing"));
  const Page page = heads_page_of(in);
  EXPECT_TRUE(says(page, "different texts"));
  in.session.heads.combine = Combine::rollout;
  EXPECT_TRUE(says(heads_page_of(in), "Rollout follows tokens through self-attention"));
}

TEST(HeadsPage, CombinesPickedHeadsOrThoseOfTheLayer) {
  PageInputs in = inputs_of(of_model("copying"));
  in.session.heads.combine = Combine::mean;
  EXPECT_TRUE(says(heads_page_of(in), "Mean weights of all heads of layer 1"));
  in.session.selection.heads = {{0, 1}, {1, 2}};
  EXPECT_TRUE(says(heads_page_of(in), "Mean weights of heads 0.1, 1.2"));
  in.session.heads.combine = Combine::rollout;
  const Page page = heads_page_of(in);
  EXPECT_TRUE(says(page, "Attention rollout, layers 0 to 1"));
  EXPECT_TRUE(says(page, "Abnar and Zuidema"));
  EXPECT_TRUE(std::ranges::any_of(page.regions, [](const HitRegion& region) {
    const auto* cells = std::get_if<TableCells>(&region.meaning);
    return cells != nullptr && cells->table == "combined";
  }));
}

TEST(HeadsPage, ACommonMapHatchesWhatTheMasksHide) {
  Session session = of_model("pronouns");
  session.picture.numbers = false;
  session.attention.mask.causal = true;
  PageInputs in = inputs_of(session);
  const auto n_hatched = [&] {
    const Page page = heads_page_of(in);
    const auto map = std::ranges::find_if(page.regions, [](const HitRegion& region) {
      const auto* cells = std::get_if<TableCells>(&region.meaning);
      return cells != nullptr && cells->table == "combined";
    });
    if (map == page.regions.end()) return std::ptrdiff_t{-1};
    return std::ranges::count_if(items_of<Hatch>(page.figure), [&](const Hatch& hatch) {
      return hatch.box.x >= map->box.x && hatch.box.right() <= map->box.right() + 1.0F;
    });
  };
  const int n = in.trace->n_tokens();
  for (const Combine combine : {Combine::mean, Combine::max, Combine::rollout}) {
    in.session.heads.combine = combine;
    EXPECT_EQ(n_hatched(), n * (n - 1) / 2);
  }
  session.attention.mask.window = 2;
  in.trace = inputs_of(session).trace;
  in.session.heads.combine = Combine::mean;
  const std::ptrdiff_t by_masks = n_hatched();
  in.session.heads.combine = Combine::rollout;
  EXPECT_LT(n_hatched(), by_masks) << "two layers reach further than one";
}

TEST(HeadsPage, LongTextsShowOneLayerAndAreNotMeasured) {
  Session session = default_session();
  session.architecture.n_layers = 2;
  session.architecture.d_model = 16;
  session.architecture.n_heads = 2;
  session.sentence.clear();
  for (int i = 0; i <= max_measured_tokens; ++i) session.sentence += "word ";
  const PageInputs in = inputs_of(reduce(session, set_selected(&Selection::pin, {})));
  ASSERT_NE(in.trace, nullptr);
  EXPECT_EQ(order_of(in), (std::vector<HeadIndex>{{0, 0}, {0, 1}}));
  EXPECT_NE(test::headline_text(in, PageName::heads, uniform_measure())
                .find("Not measured: the text has more than 1024 tokens"),
            std::string::npos);
}

TEST(HeadsPage, WhatTakesLongIsDoneLater) {
  PageInputs in = inputs_of(twelve_by_twelve());
  PageMemo memo;
  std::vector<Job> later;
  PageTools tools{uniform_measure(), 0, memo, [&](Job job) { later.push_back(std::move(job)); }};
  const Page before = heads_page(in, usual, tools);
  EXPECT_EQ(heads_headline(in, tools).answer, std::vector<std::string>{"Measuring…"});
  ASSERT_GE(later.size(), 2U);
  while (!later.empty()) {
    const auto job = std::move(later.back());
    later.pop_back();
    finish(job);
  }
  const Page after = heads_page(in, usual, tools);
  EXPECT_FALSE(says(after, "Measuring…"));
  EXPECT_EQ(after.figure, heads_page_of(in).figure) << "as where everything is done at once";
}

TEST(HeadsPage, ArrowsGoToTheHeadBeside) {
  const PageInputs in = inputs_of(of_model("pronouns"));
  const Page page = heads_page_of(in);
  EXPECT_EQ(adjacent_head(page, {0, 1}, 1, 0), (HeadIndex{0, 2}));
  EXPECT_EQ(adjacent_head(page, {0, 1}, -1, 0), (HeadIndex{0, 0}));
  EXPECT_EQ(adjacent_head(page, {0, 1}, 0, 1), (HeadIndex{1, 1}));
  EXPECT_EQ(adjacent_head(page, {1, 1}, 0, -1), (HeadIndex{0, 1}));
  EXPECT_EQ(adjacent_head(page, {1, 1}, 0, 1), (HeadIndex{1, 1})) << "there is nothing below";
  EXPECT_EQ(adjacent_head(page, {1, 3}, 1, 0), (HeadIndex{1, 3}));
  EXPECT_EQ(adjacent_head(page, {7, 7}, 1, 0), (HeadIndex{0, 0})) << "one that is not shown";
  EXPECT_FALSE(adjacent_head(Page{}, {0, 0}, 1, 0));
}

TEST(HeadsPage, AHeadThatIsSwitchedOffIsStruckThroughWhereverItIsSmall) {
  Session session = default_session();
  session.architecture.n_heads = 4;
  for (const bool is_off : {false, true}) {
    if (is_off) {
      HeadChange change = change_of(session.interventions, head_of(session.selection.at(StageKind::weights)));
      change.scale = 0.0F;
      session = reduce(session, set_interventions(with_change(session.interventions, change)));
    }
    for (const PageName name : {PageName::heads, PageName::explore}) {
      const Page page =
          test::page_of_session(test::inputs_of(session), name, {912.0F, 752.0F}, test::uniform_measure());
      const Color stroke = theme_of(session.picture.theme).warning;
      EXPECT_EQ(std::ranges::count(test::items_of<Line>(page.figure), stroke, &Line::color), is_off ? 1 : 0);
    }
  }
}

}  // namespace
}  // namespace headscope
