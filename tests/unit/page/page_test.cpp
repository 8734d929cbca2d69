#include "core/page/page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "core/page/compare/compare_page.h"
#include "core/page/figure_file.h"
#include "core/page/pages.h"
#include "core/page/parts/bar_tables.h"
#include "core/page/parts/small_pictures.h"
#include "core/trace/trace.h"
#include "tests/unit/instrumented.h"
#include "tests/unit/page/page_helpers.h"

namespace headscope {
namespace {

using test::items_of;
using test::page_contains;
using test::page_names;
using test::page_of_session;
using test::uniform_measure;

const std::vector<PageInputs>& usual_inputs() {
  static const std::vector<PageInputs> all = [] {
    std::vector<PageInputs> inputs;
    for (const Session& session : test::usual_sessions()) inputs.push_back(test::inputs_of(session));
    return inputs;
  }();
  return all;
}

constexpr std::array sizes{PageSize{352.0F, 300.0F}, PageSize{912.0F, 752.0F}, PageSize{2400.0F, 1500.0F}};

std::string called(std::size_t session, PageName name, const PageSize& size) {
  return "session " + std::to_string(session) + ", page " + std::to_string(static_cast<int>(name)) +
         ", width " + std::to_string(size.width);
}

/// Calls `check` for every page of every usual session in every size.
template <class Check>
void for_all_pages(const Check& check) {
  for (std::size_t i = 0; i < usual_inputs().size(); ++i) {
    const PageInputs& in = usual_inputs()[i];
    ASSERT_NE(in.trace, nullptr) << i;
    for (const PageName name : page_names) {
      for (const PageSize& size : sizes) {
        SCOPED_TRACE(called(i, name, size));
        check(in, name, size);
      }
    }
  }
}

TEST(Page, TheInspectorSaysWhatWasBeforeOnlyAfterTheEditOfAWord) {
  const auto says_before = [](const std::string& before, const std::string& after) {
    Session session = default_session();
    session.sentence = after;
    session.selection.token = 1;
    PageInputs in = test::inputs_of(session);
    session.sentence = before;
    in.before_edit = test::inputs_of(session).trace;
    const Page page =
        test::page_of_session(in, PageName::inspector, {400.0F, 900.0F}, test::uniform_measure());
    return std::ranges::any_of(test::items_of<Label>(page.figure),
                               [](const Label& label) { return label.text.starts_with("before: "); });
  };
  EXPECT_TRUE(says_before("the cat sat on it", "the cat slept on it"));
  EXPECT_TRUE(says_before("the cat sat on it", "the cat sat on it now"));
  EXPECT_FALSE(says_before("the cat sat on it", "I poured water into it"));
  EXPECT_FALSE(says_before("the cat sat on it", "the dog slept on it"));
}

TEST(Page, ABarOfRoundingIsNone) {
  BarTable table;
  table.labels = {"0.0", "0.1", "0.2"};
  table.instead = {"–", "–", "–"};
  table.has_axes = true;
  SignedBars bars{"logit lost", {3e-12, -1e-12, 0.0}};
  bars.resolution = 1e-11;
  table.columns = {bars};
  const Theme& theme = theme_of(ThemeName::light);
  const auto texts_of = [&] {
    std::vector<std::string> texts;
    for (const Label& label :
         test::items_of<Label>(draw_bar_table(table, 400.0F, theme, test::uniform_measure()).figure))
      texts.push_back(label.text);
    return texts;
  };
  const std::vector<std::string> texts = texts_of();
  EXPECT_EQ(std::ranges::count(texts, "≈0"), 2);
  EXPECT_EQ(std::ranges::count(texts, "0"), 1) << "nothing is exactly 0 there, and an axis has no scale";
  table.columns[0].values = {0.7, -0.1, 0.0};
  const std::vector<std::string> axis = texts_of();
  EXPECT_EQ(std::ranges::count(axis, "0.7"), 1) << "the axis ends at a round number";
  EXPECT_EQ(std::ranges::count(axis, "−0.7"), 1);
  table.columns[0].values = {0.042, 0.0199, -0.0001};
  EXPECT_EQ(std::ranges::count(texts_of(), "−0.04"), 1) << "a small number has room as well";
  table.columns[0].values = {0.0199, 0.0001, -0.0003};
  EXPECT_EQ(std::ranges::count(texts_of(), "−0.015"), 1);
  const Figure small = draw_bar_table(table, 400.0F, theme, test::uniform_measure()).figure;
  EXPECT_EQ(test::items_of<FilledRect>(small).size(), 1U) << "a number without digits has no bar";
  EXPECT_EQ(std::ranges::count(texts_of(), "≈0"), 2) << "one spelling for both signs";
  table.columns[0].from_left = true;
  table.columns[0].values = {0.0199, 0.0001, 0.0};
  EXPECT_EQ(std::ranges::count(texts_of(), "≈0"), 1) << "a share of a whole";
}

/// Where all digits are shown, a sum must not seem wrong because its parts are rounded.
TEST(Page, TheNumbersOfASumAddUpWhereAllDigitsAreShown) {
  const std::vector<Explanation::Step> sum{{"a", 4.26862, ""}, {"b", 0.54586, ""}, {"a + b", 4.81448, ""}};
  PictureOptions picture;
  EXPECT_EQ(step_texts(sum, picture), (std::vector<std::string>{"4.269", "0.546", "4.814"}));
  picture.all_numbers = true;
  EXPECT_EQ(step_texts(sum, picture), (std::vector<std::string>{"4.2686", "0.5459", "4.8145"}));
  const std::vector<Explanation::Step> product{{"a", 4.26862, ""}, {"b", 0.5, ""}, {"a b", 2.13431, ""}};
  EXPECT_EQ(step_texts(product, picture), (std::vector<std::string>{"4.2686", "0.5", "2.1343"}));
}

/// The letters of a page's figure. Lines of one paragraph are joined by spaces.
std::string words_of(const Figure& figure) {
  std::string words;
  for (const Label& label : items_of<Label>(figure)) words += label.text + " ";
  return words;
}

TEST(Page, DrawsNoConclusionFromNumbersThatOverflow) {
  Session session = test::usual_sessions()[2];
  const StageId query = with_kind(session.selection.at(StageKind::weights), StageKind::query);
  const Extent size = test::inputs_of(session).trace->extent(query);
  OwnedMatrix numbers(size.rows, size.cols);
  std::ranges::fill(numbers.values, 1e38F);
  session.picture.details = true;
  session.selection.token = 2;
  session = reduce(session, SetGiven{path(query), std::move(numbers)});
  const PageInputs in = test::inputs_of(session);
  ASSERT_NE(in.trace, nullptr);
  ASSERT_TRUE(in.trace->overflow());
  EXPECT_EQ(in.trace->overflow()->stage, with_kind(query, StageKind::raw));
  for (const PageRecord& page : page_records()) {
    if (!page.shows_session_pass || !why_empty(session, page.name).empty()) continue;
    SCOPED_TRACE(page.title);
    const std::string words =
        words_of(printed_page(in, page.name, {912.0F, 752.0F}, 24.0F, uniform_measure()).figure);
    EXPECT_NE(words.find("The first number beyond the range of float32 is"), std::string::npos);
    for (const char* verdict :
         {"looks most at", "looks at the token before", "no clear pattern", "is mixed", "only NaN",
          "finite here", "NaN row sum (not", "carries 0", "the model answers “", "0 nats", "-nan"})
      EXPECT_EQ(words.find(verdict), std::string::npos) << verdict << " in: " << words;
    if (page.draws_conclusions) {
      EXPECT_EQ(words.find("NaN of"), std::string::npos) << words;
      EXPECT_LT(
          items_of<Label>(printed_page(in, page.name, {912.0F, 752.0F}, 24.0F, uniform_measure()).figure)
              .size(),
          8U)
          << "only the reason is there: " << words;
    }
  }
}

TEST(Page, APrintedNoteKeepsTheMarginBelowIt) {
  constexpr float margin = 24.0F;
  const Page page = printed_page(test::inputs_of(default_session()), PageName::explore, {912.0F, 752.0F},
                                 margin, uniform_measure());
  EXPECT_TRUE(page_contains(page, "untrained: random weights"));
  for (const Label& label : items_of<Label>(page.figure))
    EXPECT_LE(label.at.y + label.size, page.figure.height - margin) << label.text;
}

TEST(Page, WhatAMaskHidesIsNoOverflow) {
  for (const PageInputs& in : usual_inputs()) EXPECT_FALSE(in.trace->overflow());
  Session session = default_session();
  session.attention.mask.causal = true;
  session.attention.mask.painted = {{0, 0}};
  const PageInputs in = test::inputs_of(session);
  EXPECT_TRUE(std::isinf(in.trace->number(session.selection.at(StageKind::masked), 0, 0)));
  EXPECT_FALSE(in.trace->overflow()) << "not even of a row that sees nothing";
}

TEST(Page, TheInspectorCountsAllHiddenCellsOfARow) {
  Session session = default_session();
  session.attention.mask.causal = true;
  session.attention.mask.window = 2;
  session.selection.token = 7;
  const PageInputs in = test::inputs_of(session);
  const Page page = page_of_session(in, PageName::inspector, {320.0F, 900.0F}, uniform_measure());
  const auto labels = items_of<Label>(page.figure);
  EXPECT_EQ(std::ranges::count(labels, "8 hidden by the mask", &Label::text), 1)
      << "of 11 keys, 3 are visible";
}

TEST(Page, ALessonThatCannotBeOpenedSaysSoOnItsCard) {
  PageInputs in = test::inputs_of(default_session());
  in.user_lessons = {
      {.file = "/here/one.md", .title = "One", .about = "For Monday", .n_steps = 2, .is_refused = false},
      {.file = "/here/two.md", .title = "Two", .about = "", .n_steps = 2, .is_refused = true}};
  const Page page = page_of_session(in, PageName::lessons, {912.0F, 752.0F}, uniform_measure());
  const auto labels = items_of<Label>(page.figure);
  EXPECT_EQ(std::ranges::count(labels, "cannot be opened", &Label::text), 1);
  EXPECT_EQ(std::ranges::count(labels, "2 steps", &Label::text), 1);
  EXPECT_EQ(std::ranges::count(labels, "For Monday", &Label::text), 1);
}

TEST(Page, TheCardOfALessonSaysHowFarTheLearnerHasCome) {
  PageInputs in = test::inputs_of(default_session());
  in.user_lessons = {{.file = "/one.md", .title = "One", .about = "", .n_steps = 7},
                     {.file = "/two.md", .title = "Two", .about = "", .n_steps = 9}};
  in.lesson_progress = {{"/one.md", 3}, {"/two.md", 10}, {"/gone.md", 2}};
  const Page page = page_of_session(in, PageName::lessons, {912.0F, 752.0F}, uniform_measure());
  const auto labels = items_of<Label>(page.figure);
  EXPECT_EQ(std::ranges::count(labels, "step 3 of 7", &Label::text), 1);
  EXPECT_EQ(std::ranges::count(labels, "9 steps, done", &Label::text), 1);
}

TEST(Page, TilesThatAreStillToComeHaveNoNumbers) {
  Session session = default_session();
  session.tiles = {.queries = 4, .keys = 4};
  const PageInputs in = test::inputs_of(session);
  const Page page = page_of_session(in, PageName::tiles, {912.0F, 752.0F}, uniform_measure());
  const auto cells = std::ranges::find_if(page.regions, [](const HitRegion& region) {
    return std::holds_alternative<StageCells>(region.meaning);
  });
  ASSERT_NE(cells, page.regions.end());
  const Box map = std::get<StageCells>(cells->meaning).grid.cells;
  const auto labels = items_of<Label>(page.figure);
  EXPECT_EQ(std::ranges::count_if(labels, [&](const Label& label) { return map.contains(label.at); }), 16);
}

TEST(Page, ASlideIsFilled) {
  const PageInputs in = test::inputs_of(default_session());
  const auto used_share = [&](PageName view, std::optional<PageName> page) {
    PageInputs shown = in;
    shown.session.view = view;
    FigureSize size = size_on(Paper::slide, {});
    size.page = page;
    const auto figure = figure_of(shown, size, uniform_measure());
    EXPECT_TRUE(figure);
    if (!figure) return 0.0F;
    float left = figure->width, top = figure->height, right = 0.0F, bottom = 0.0F;
    const auto extend = [&](const Point& at) {
      left = std::min(left, at.x);
      top = std::min(top, at.y);
      right = std::max(right, at.x);
      bottom = std::max(bottom, at.y);
    };
    for (const FilledRect& rect : items_of<FilledRect>(*figure)) {
      extend({rect.box.x, rect.box.y});
      extend({rect.box.right(), rect.box.bottom()});
    }
    for (const Label& label : items_of<Label>(*figure)) extend(label.at);
    return (right - left) * (bottom - top) / (figure->width * figure->height);
  };
  constexpr float least = 0.66F;
  EXPECT_GE(used_share(PageName::explore, std::nullopt), least) << "the large map alone";
  for (const PageName name : {PageName::explore, PageName::heads, PageName::scale})
    EXPECT_GE(used_share(name, name), least) << enum_name(name);
  EXPECT_GE(used_share(PageName::split, PageName::split), 0.5F) << "the beginning of a page that is longer";
}

TEST(Page, NumbersOfATextbookStandBelowEachOther) {
  PageInputs in = test::inputs_of(default_session());
  in.session.view = PageName::textbooks;
  in.session.textbook = "raschka-4.6-parameter-count";
  const auto figure = figure_of(in, {}, uniform_measure());
  ASSERT_TRUE(figure);
  std::set<std::pair<float, std::size_t>> points;
  int n_numbers = 0;
  for (const Label& label : items_of<Label>(*figure)) {
    if (!label.text.starts_with("computed ")) continue;
    ++n_numbers;
    const std::size_t end = label.text.find_last_not_of(' ') + 1;
    points.emplace(label.at.x, std::min(label.text.find('.'), end));
  }
  EXPECT_EQ(n_numbers, 5);
  EXPECT_EQ(points.size(), 1U);
}

TEST(Page, ASlideOfTheStepsHasTheSelectedStage) {
  PageInputs in = test::inputs_of(default_session());
  in.session.view = PageName::stages;
  for (const StageKind kind : {StageKind::query, StageKind::weights}) {
    in.session.selection.stage = kind;
    std::string left_out;
    const auto figure = figure_of(in, size_on(Paper::slide, {}), uniform_measure(), &left_out);
    ASSERT_TRUE(figure);
    EXPECT_EQ(std::ranges::count(items_of<Label>(*figure), std::string(info(kind).title), &Label::text), 1)
        << "above its map: " << info(kind).title;
    EXPECT_EQ(left_out, "");
  }
}

TEST(Page, AllUsualSessionsAreThere) {
  EXPECT_EQ(usual_inputs().size(), 6U);
}

TEST(PageLong, AllItsTextIsInsideAndNoneOverlaps) {
  for_all_pages([](const PageInputs& in, PageName name, const PageSize& size) {
    const Figure figure =
        figure_of_page(in, name, {size.width + 48.0F, size.height + 48.0F}, uniform_measure(), true);
    std::vector<std::vector<Point>> places;
    const auto labels = items_of<Label>(figure);
    for (const Label& label : labels) {
      places.push_back(test::corners(label, uniform_measure()));
      for (const Point corner : places.back()) {
        EXPECT_TRUE(std::isfinite(corner.x) && std::isfinite(corner.y)) << label.text;
        EXPECT_TRUE(corner.x >= -1.0F && corner.x <= figure.width + 1.0F) << label.text << " at " << corner.x;
        EXPECT_TRUE(corner.y >= -1.0F && corner.y <= figure.height + 1.0F)
            << label.text << " at " << corner.y;
      }
    }
    for (std::size_t i = 0; i < labels.size(); ++i) {
      for (std::size_t j = i + 1; j < labels.size(); ++j) {
        // Turned labels of one map stand as close as their lines allow, which the tests of maps check.
        if (labels[i].degrees != 0.0F && labels[i].degrees == labels[j].degrees) continue;
        EXPECT_FALSE(test::overlap(places[i], places[j], 0.5F))
            << labels[i].text << " and " << labels[j].text;
      }
    }
  });
}

TEST(PageLong, TheMiddleOfEachCellHitsTheCell) {
  int n_cells = 0;
  for_all_pages([&](const PageInputs& in, PageName name, const PageSize& size) {
    const Page page = page_of_session(in, name, size, uniform_measure());
    for (const HitRegion& region : page.regions) {
      const auto* cells = std::get_if<StageCells>(&region.meaning);
      const auto* table = std::get_if<TableCells>(&region.meaning);
      if (cells == nullptr && table == nullptr) continue;
      const CellGrid& grid = cells != nullptr ? cells->grid : table->grid;
      for (int row = grid.first_row; row < grid.first_row + grid.n_rows; ++row) {
        for (int col = grid.first_col; col < grid.first_col + grid.n_cols; ++col) {
          const Box box = grid.box_of(row, col);
          const Point middle{box.x + box.w / 2.0F, box.y + box.h / 2.0F};
          ASSERT_EQ(grid.cell_at(middle), (CellIndex{row, col}));
          ASSERT_EQ(page.region_at(middle), &region);
          ++n_cells;
        }
      }
    }
  });
  EXPECT_GT(n_cells, 100000);
}

/// What is ringed or outlined is the coloured cell alone, without the gap to the next one.
TEST(Page, TheBoxOfACellIsWhereItsColourIs) {
  const Page page = page_of_session(usual_inputs()[1], PageName::explore, sizes[1], uniform_measure());
  const auto region = std::ranges::find_if(page.regions, [](const HitRegion& part) {
    const auto* cells = std::get_if<StageCells>(&part.meaning);
    return cells != nullptr && cells->stage.kind == StageKind::weights && cells->grid.gap > 0.0F;
  });
  ASSERT_NE(region, page.regions.end());
  const CellGrid& grid = std::get<StageCells>(region->meaning).grid;
  const auto is_drawn = [&](const Box& box) {
    return std::ranges::any_of(page.figure.items, [&](const Item& item) {
      const auto* drawn = std::get_if<FilledRect>(&item);
      return drawn != nullptr && std::abs(drawn->box.x - box.x) < 0.01F &&
             std::abs(drawn->box.y - box.y) < 0.01F && std::abs(drawn->box.right() - box.right()) < 0.01F &&
             std::abs(drawn->box.bottom() - box.bottom()) < 0.01F;
    });
  };
  for (int row = grid.first_row; row < grid.first_row + grid.n_rows; ++row)
    for (int col = grid.first_col; col < grid.first_col + grid.n_cols; ++col)
      EXPECT_TRUE(is_drawn(grid.box_of(row, col))) << row << ", " << col;
}

TEST(Page, EachViewHasItsRegions) {
  const PageInputs& pronouns = usual_inputs()[1];
  const auto count = [&](PageName name, auto is_it) {
    const Page page = page_of_session(pronouns, name, sizes[1], uniform_measure());
    return std::ranges::count_if(page.regions,
                                 [&](const HitRegion& region) { return is_it(region.meaning); });
  };
  const auto is = []<class Kind>(std::type_identity<Kind>) {
    return [](const Meaning& meaning) { return std::holds_alternative<Kind>(meaning); };
  };
  const int n_heads = pronouns.trace->architecture().n_heads;
  const int n_layers = pronouns.trace->architecture().n_layers;
  EXPECT_EQ(count(PageName::heads, is(std::type_identity<HeadIndex>{})), n_layers * n_heads);
  EXPECT_EQ(count(PageName::heads, is(std::type_identity<StageCells>{})), 1) << "the large map";
  EXPECT_EQ(count(PageName::split, is(std::type_identity<HeadIndex>{})), n_heads);
  EXPECT_EQ(count(PageName::explore, is(std::type_identity<TokenArea>{})), pronouns.trace->n_tokens());
  EXPECT_EQ(count(PageName::explore, is(std::type_identity<StageCells>{})), n_heads + 1);
  EXPECT_GT(count(PageName::model, is(std::type_identity<DiagramArea>{})), 10);
  EXPECT_GE(count(PageName::words, is(std::type_identity<WordArea>{})), 5);
  EXPECT_EQ(count(PageName::words, is(std::type_identity<TokenArea>{})), pronouns.trace->n_tokens());
  EXPECT_EQ(count(PageName::train, is(std::type_identity<TableCells>{})), 2);
  EXPECT_GT(count(PageName::stages, is(std::type_identity<StageCells>{})), 15);
}

TEST(Page, AStageOfAllHeadsHasNoArcsOfOne) {
  const auto explorer_of = [](StageKind stage) {
    PageInputs in = usual_inputs()[1];
    in.session = reduce(in.session, select_stage(stage));
    return page_of_session(in, PageName::explore, sizes[1], uniform_measure());
  };
  const Page weights = explorer_of(StageKind::weights);
  EXPECT_FALSE(items_of<Curve>(weights.figure).empty());
  EXPECT_TRUE(page_contains(weights, "Layer 1, head 0"));
  const Page concatenated = explorer_of(StageKind::concat);
  EXPECT_TRUE(items_of<Curve>(concatenated.figure).empty());
  EXPECT_TRUE(page_contains(concatenated, "Layer 1"));
  EXPECT_FALSE(page_contains(concatenated, "Layer 1, head"));
}

/// A model that is opened from the page by hand takes a moment to compute. Until then, the page has the pass
/// before it, which may have nothing at the session's place.
TEST(Page, ByHandAsksThePassForNothingThatItLacks) {
  PageInputs in = test::inputs_of(reduce(default_session(), load_preset("Your own 2 × 2")));
  in.session = test::usual_sessions()[3];  // an encoder and a decoder
  ASSERT_FALSE(in.trace->has(in.at(StageKind::weights)));
  EXPECT_TRUE(page_of_session(in, PageName::by_hand, sizes[1], uniform_measure()).regions.empty());
}

/// Where a derivation does not fit, its tables are left out first, and nothing is cut.
TEST(Page, ADerivationInALowRoomIsShorterButWhole) {
  PageInputs in = test::inputs_of(reduce(default_session(), load_preset("Your own 2 × 2")));
  const Pin cell{in.at(StageKind::weights), 0, 0};
  PageMemo memo;
  PageTools tools{uniform_measure(), 0, memo};
  std::set<std::size_t> forms;
  std::size_t n_before = 1000;
  for (float height = 600.0F; height >= 0.0F; height -= 20.0F) {
    const Page page = cell_page(in, cell, {320.0F, height}, tools);
    const std::size_t n = items_of<Label>(page.figure).size();
    EXPECT_LE(n, n_before) << height;
    n_before = n;
    forms.insert(n);
    const bool is_brief = !page_contains(page, "weight = exp");
    EXPECT_TRUE(is_brief || page.figure.height <= height) << height;
  }
  EXPECT_EQ(forms.size(), 3U) << "whole, the steps alone, and what the cell is";
}

TEST(Page, OfASplitDividesNothingWithoutASoftmax) {
  Session session = default_session();
  const PageSize& size = sizes[1];
  const Page usual = page_of_session(test::inputs_of(session), PageName::split, size, uniform_measure());
  EXPECT_TRUE(page_contains(usual, "divides the product by √d_head"));
  EXPECT_TRUE(page_contains(usual, "14 / √3"));
  EXPECT_TRUE(page_contains(usual, "scaled"));
  session.architecture.linear_attention = true;
  const Page linear = page_of_session(test::inputs_of(session), PageName::split, size, uniform_measure());
  EXPECT_TRUE(page_contains(linear, "Linear attention does not divide"));
  EXPECT_FALSE(page_contains(linear, "14 / √3"));
  EXPECT_FALSE(page_contains(linear, "scaled"));
}

TEST(Page, OfASplitSaysWhichScoresAreGiven) {
  Session session = reduce(default_session(), SetSentence{"one two"});
  const auto page = [&] {
    return page_of_session(test::inputs_of(session), PageName::split, sizes[1], uniform_measure());
  };
  EXPECT_FALSE(page_contains(page(), "given by hand"));
  session.given = with_given(std::move(session.given), {"encoder.layers.0.self.heads.1.raw",
                                                        std::make_shared<const OwnedMatrix>(2, 2)});
  EXPECT_TRUE(page_contains(page(), "because the raw scores were given by hand: head 1."));
}

TEST(Page, OfAComparisonNamesWhatAttentionItIs) {
  Session session = default_session();
  const auto caption = [&] {
    const PageInputs in = test::inputs_of(session);
    PageMemo memo;
    const MeasureText measure = uniform_measure();
    PageTools tools{measure, 0, memo};
    Session comparison = session;
    comparison.compared.push_back(session.subject());
    return subject_caption(in, tools, 0, comparison, 600.0F);
  };
  EXPECT_FALSE(page_contains(caption(), "linear"));
  session.architecture.linear_attention = true;
  EXPECT_TRUE(page_contains(caption(), "random weights · linear"));
  session.architecture.linear_attention = false;
  session.architecture.kv_latent = 8;
  EXPECT_TRUE(page_contains(caption(), "random weights · latent 8"));
}

TEST(Page, ALongSentenceHasAnOverviewOfAllItsTokens) {
  std::string sentence;
  for (int i = 0; i < 120; ++i) sentence += (i == 0 ? "" : " ") + ("w" + std::to_string(i));
  Session session = reduce(default_session(), SetSentence{sentence});
  session.selection.token = 100;
  const Page page =
      page_of_session(test::inputs_of(session), PageName::explore, {700.0F, 600.0F}, test::uniform_measure());
  std::vector<bool> reached(120, false);
  for (const HitRegion& region : page.regions) {
    if (const auto* token = std::get_if<TokenArea>(&region.meaning))
      reached[static_cast<std::size_t>(token->place)] = true;
  }
  EXPECT_EQ(std::ranges::count(reached, false), 0) << "each can be clicked, in sight or not";
  const Page of_few = page_of_session(test::inputs_of(default_session()), PageName::explore, {700.0F, 600.0F},
                                      test::uniform_measure());
  EXPECT_EQ(std::ranges::count_if(
                of_few.regions,
                [](const HitRegion& region) { return std::holds_alternative<TokenArea>(region.meaning); }),
            11)
      << "a sentence that is whole in sight needs none";
}

TEST(Page, TheLineOfAHeadIsWhereItsNameIs) {
  const Page page = page_of_session(usual_inputs()[1], PageName::split, sizes[1], uniform_measure());
  int n_found = 0;
  for (const HitRegion& region : page.regions) {
    const auto* area = std::get_if<HeadIndex>(&region.meaning);
    if (area == nullptr) continue;
    const std::string name = "head " + std::to_string(area->head);
    const auto labels = items_of<Label>(page.figure);
    const bool is_there = std::ranges::any_of(
        labels, [&](const Label& label) { return label.text == name && region.box.contains(label.at); });
    EXPECT_TRUE(is_there) << name;
    ++n_found;
  }
  EXPECT_EQ(n_found, usual_inputs()[1].trace->architecture().n_heads);
}

/// A page that reuses parts of earlier pages must equal the same page drawn from scratch.
TEST(Page, WhatIsKeptIsNeverStale) {
  std::mt19937 generator(7);
  const auto up_to = [&](int last) { return std::uniform_int_distribution<int>(0, last)(generator); };
  PageMemo memo;
  PageTools tools{uniform_measure(), 0, memo};
  PageInputs in = usual_inputs().front();
  for (int step = 0; step < rounds(300); ++step) {
    switch (up_to(6)) {
      case 0:
        in = usual_inputs()[static_cast<std::size_t>(up_to(5))];
        break;
      case 1:
        in.session = reduce(in.session, select_head(up_to(3)));
        break;
      case 2:
        in.session = reduce(in.session, SelectToken{up_to(5)});
        break;
      case 3:
        in.session = reduce(in.session, PinCell{{in.at(StageKind::weights), up_to(5), up_to(5)}});
        break;
      case 4:
        in.session.picture.theme = up_to(1) == 0 ? ThemeName::light : ThemeName::dark;
        break;
      case 5:
        in.n_positions = 4 + up_to(40);
        break;
      default:
        in.session = reduce(in.session, select_stage(static_cast<StageKind>(up_to(20))));
    }
    const PageName name =
        page_names[static_cast<std::size_t>(up_to(static_cast<int>(page_names.size()) - 1))];
    const PageSize& size = sizes[static_cast<std::size_t>(up_to(1))];
    ASSERT_TRUE(page_of(in, name, size, tools).figure ==
                page_of_session(in, name, size, uniform_measure()).figure)
        << step << ", page " << static_cast<int>(name);
  }
}

TEST(Page, WithoutATaskThePageOfTrainingInventsNothing) {
  const Page page = page_of_session(usual_inputs().front(), PageName::train, sizes[1], uniform_measure());
  const auto labels = items_of<Label>(page.figure);
  EXPECT_EQ(labels.front().text, "No task");
  EXPECT_TRUE(items_of<Line>(page.figure).empty());
  EXPECT_TRUE(page.regions.empty());
}

/// The height at which the diagram of twelve layers is drawn in a room.
float height_of_diagram(bool fits, const PageSize& room) {
  Session session;
  session.architecture.n_layers = 12;
  session.architecture.d_ff = 64;
  session.architecture.residual = true;
  session.picture.readable_diagram = !fits;
  PageMemo memo;
  PageTools tools{uniform_measure(), 0, memo};
  const Page page = page_of(test::inputs_of(session), PageName::model, room, tools);
  float bottom = 0.0F;
  for (const HitRegion& region : page.regions)
    if (std::holds_alternative<DiagramArea>(region.meaning)) bottom = std::max(bottom, region.box.bottom());
  return bottom;
}

TEST(Page, TheDiagramFitsItsRoomOnDemand) {
  const PageSize room{1000.0F, 480.0F};
  EXPECT_GT(height_of_diagram(false, room), room.height);
  EXPECT_LE(height_of_diagram(true, room), room.height);
}

TEST(Page, TheWalkShowsTheRowsThatEachBoxReadsAndMakes) {
  Session session;
  session.architecture.positions = Positions::rotary;
  session.architecture.norm = Norm::pre;
  session.architecture.residual = true;
  session.architecture.d_ff = 32;
  session.attention.mask.causal = true;
  session.selection.token = 3;
  PageInputs in = test::inputs_of(session);
  PageMemo memo;
  PageTools tools{uniform_measure(), 0, memo};
  const int n = n_diagram_steps(in, memo);
  ASSERT_GT(n, 8);
  for (int step = 1; step <= n; ++step) {
    in.session.diagram_step = step;
    const StageId stage = *walked_stage(in, memo);
    const Page page = page_of(in, PageName::model, {1200.0F, 600.0F}, tools);
    const auto row = std::ranges::find_if(page.regions, [&](const HitRegion& region) {
      const auto* cells = std::get_if<StageCells>(&region.meaning);
      return cells != nullptr && cells->stage == stage && cells->grid.first_row == 3 &&
             cells->grid.n_rows == 1;
    });
    EXPECT_NE(row, page.regions.end()) << path(stage);
    for (const Label& label : items_of<Label>(page.figure))
      EXPECT_EQ(label.text.find("inf"), std::string::npos);
    if (stage.kind != StageKind::weights) continue;
    for (const StageKind kind :
         {StageKind::rotated_query, StageKind::raw, StageKind::masked, StageKind::output})
      EXPECT_TRUE(std::ranges::any_of(page.regions, [&](const HitRegion& region) {
        const auto* cells = std::get_if<StageCells>(&region.meaning);
        return cells != nullptr && cells->stage == with_kind(stage, kind);
      })) << info(kind).name;
  }
  in.session.diagram_step = max_diagram_step;
  EXPECT_EQ(diagram_step(in, memo), n) << "a step beyond the last is the last";
  in.session.cover.stage = session.selection.at(StageKind::weights);
  in.session.cover.all = true;
  in.session.diagram_step = n;
  const Page covered = page_of(in, PageName::model, {1200.0F, 600.0F}, tools);
  EXPECT_TRUE(std::ranges::none_of(covered.regions, [](const HitRegion& region) {
    const auto* cells = std::get_if<StageCells>(&region.meaning);
    return cells != nullptr && cells->grid.n_rows == 1;
  })) << "an exercise hides all rows";
}

TEST(Page, TheBoxesOfTheDiagramHoldPicturesOfTheirStages) {
  const PageInputs in = test::inputs_of(Session{});
  PageMemo memo;
  PageTools tools{uniform_measure(), 0, memo};
  page_of(in, PageName::model, {912.0F, 752.0F}, tools);
  const auto* pictures = memo.results.last<SmallPictures>();
  ASSERT_NE(pictures, nullptr);
  const auto* figures = memo.results.ready_result(*pictures);
  ASSERT_TRUE(figures != nullptr && *figures);
  ASSERT_GT((*figures)->size(), 4U);
  for (std::size_t i = 0; i < (*figures)->size(); ++i) {
    const Figure& picture = (**figures)[i];
    const SmallPicture& asked = pictures->asked[i];
    EXPECT_FALSE(picture.items.empty()) << path(asked.stage);
    EXPECT_GT(picture.width, 0.0F);
    EXPECT_LE(picture.width, asked.width);
    EXPECT_LE(picture.height, asked.height);
  }
}

TEST(Page, TheDiagramWaitsForNoLargePicture) {
  Session session;
  for (int i = 0; i < 300; ++i) session.sentence += " word";
  const PageInputs in = test::inputs_of(session);
  PageMemo memo;
  std::vector<Job> jobs;
  PageTools tools{uniform_measure(), 0, memo, [&](Job job) { jobs.push_back(std::move(job)); }};
  page_of(in, PageName::model, {912.0F, 752.0F}, tools);
  const auto* pictures = memo.results.last<SmallPictures>();
  ASSERT_NE(pictures, nullptr);
  EXPECT_EQ(memo.results.ready_result(*pictures), nullptr);
  ASSERT_FALSE(jobs.empty());
  int n_slices = 0;
  for (const Job& job : std::vector(jobs))
    while (job()) ++n_slices;
  EXPECT_GT(n_slices, 4) << "one for each picture";
  EXPECT_NE(memo.results.ready_result(*pictures), nullptr);
}

}  // namespace
}  // namespace headscope
