// Covered cells must appear on no page and in no file, and a worksheet must be one that can be filled in.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <set>

#include "core/measures/measure.h"
#include "core/page/figure_file.h"
#include "core/page/pages.h"
#include "core/page/parts/covered.h"
#include "core/page/worksheet/worksheet_page.h"
#include "core/paint/pdf_writer.h"
#include "core/session/notation.h"
#include "core/session/repair.h"
#include "core/text/number_text.h"
#include "tests/unit/page/page_helpers.h"

namespace headscope {
namespace {

using test::items_of;
using test::uniform_measure;

/// A model that can be computed by hand.
Session small_session(StageKind stage, const std::string& cover) {
  Session session = default_session();
  session.sentence = "I am here";
  session.architecture.d_model = 4;
  session.architecture.n_heads = 2;
  session.selection.stage = stage;
  session.selection.head = 1;
  session.selection.token.reset();
  session = repaired(session, session);
  EXPECT_NO_THROW(parse_cover(session, cover)) << cover;
  return repaired(session, session);
}

std::multiset<std::string> texts_in(const Figure& figure) {
  std::multiset<std::string> texts;
  for (const Label& label : items_of<Label>(figure)) texts.insert(label.text);
  return texts;
}

Session solved(Session session) {
  session.cover.solution = true;
  return session;
}

Figure sheet_of(const Session& session, const FigureSize& paper = worksheet_size) {
  const auto figure = figure_of_worksheet(test::inputs_of(session), paper, uniform_measure());
  EXPECT_TRUE(figure) << (figure ? "" : figure.error().message);
  return figure ? *figure : Figure{};
}

/// The numbers of the covered cells as the worksheet prints them.
std::multiset<std::string> covered_numbers(const Session& session) {
  const PageInputs in = test::inputs_of(session);
  std::multiset<std::string> numbers;
  const MatrixView values = in.trace->value(*session.cover.stage);
  for (int row = 0; row < values.rows; ++row)
    for (int col = 0; col < values.cols; ++col)
      if (session.cover.covers(row, col)) numbers.insert(decimals_text(values(row, col), 3));
  return numbers;
}

TEST(Worksheet, LacksJustWhatItsSolutionHas) {
  for (const StageKind stage : {StageKind::query, StageKind::raw, StageKind::scaled, StageKind::masked,
                                StageKind::weights, StageKind::output, StageKind::projected}) {
    for (const char* cover : {"all", "rows:1", "columns:0", "every:2", "cells:2.1"}) {
      const Session session = small_session(stage, cover);
      const std::multiset<std::string> sheet = texts_in(sheet_of(session));
      const std::multiset<std::string> solution = texts_in(sheet_of(solved(session)));
      std::multiset<std::string> more;
      std::ranges::set_difference(solution, sheet, std::inserter(more, more.end()));
      // "Solution" replaces the two headings.
      more.erase("Solution");
      more.erase("Solution.");
      EXPECT_EQ(more, covered_numbers(session)) << info(stage).name << " " << cover;
    }
  }
}

TEST(Worksheet, TellsWhatHiddenCellsHold) {
  for (const StageKind stage : {StageKind::masked, StageKind::weights}) {
    for (const char* cover : {"all", "every:2", "cells:0.2", "cells:1.0"}) {
      Session session = small_session(stage, cover);
      session.attention.mask.causal = true;
      const std::multiset<std::string> sheet = texts_in(sheet_of(session));
      const std::multiset<std::string> solution = texts_in(sheet_of(solved(session)));
      std::multiset<std::string> more;
      std::ranges::set_difference(solution, sheet, std::inserter(more, more.end()));
      more.erase("Solution");
      more.erase("Solution.");
      EXPECT_EQ(more, covered_numbers(session)) << info(stage).name << " " << cover;
      EXPECT_EQ(more.contains(stage == StageKind::weights ? "0" : "−∞"), std::string(cover) != "cells:1.0");
    }
  }
  Session session = small_session(StageKind::weights, "cells:0.2");
  session.attention.mask.causal = true;
  const auto texts = texts_in(sheet_of(session));
  EXPECT_TRUE(texts.contains("hatched: −∞, hidden by the mask")) << "the scores that are given";
  EXPECT_TRUE(texts.contains("hatched: 0, hidden by the mask")) << "the weights that are not asked for";
}

TEST(Worksheet, NamesItsMapsAsItsFormulaDoes) {
  EXPECT_TRUE(
      texts_in(sheet_of(small_session(StageKind::weights, "all"))).contains("A = softmax(M) over keys"));
  const auto heads = texts_in(sheet_of(small_session(StageKind::concat, "all")));
  for (const char* title : {"Head output O of head 0", "Head output O of head 1"})
    EXPECT_TRUE(heads.contains(title)) << title;
}

TEST(Worksheet, IsRefusedWhereNothingIsComputed) {
  for (const StageKind stage : {StageKind::w_query, StageKind::b_query, StageKind::embedding}) {
    const auto refused =
        figure_of_worksheet(test::inputs_of(small_session(stage, "all")), worksheet_size, uniform_measure());
    ASSERT_FALSE(refused) << info(stage).name;
    EXPECT_NE(refused.error().message.find("choose a stage that is computed"), std::string::npos);
  }
  EXPECT_TRUE(figure_of_worksheet(test::inputs_of(small_session(StageKind::positions, "all")), worksheet_size,
                                  uniform_measure()))
      << "anybody can compute a sine";
}

TEST(Worksheet, LeavesTheAskedScoreOutOfItsRow) {
  Session session = small_session(StageKind::weights, "cells:1.0");
  session.selection.pin = Pin{*session.cover.stage, 1, 0};
  const PageInputs in = test::inputs_of(session);
  StageId masked = *session.cover.stage;
  masked.kind = StageKind::masked;
  const std::multiset<std::string> sheet = texts_in(sheet_of(session));
  EXPECT_FALSE(sheet.contains(decimals_text(in.trace->number(masked, 1, 0), 3)));
  for (const int other : {1, 2})
    EXPECT_TRUE(sheet.contains(decimals_text(in.trace->number(masked, 1, other), 3))) << other;
  EXPECT_TRUE(texts_in(sheet_of(solved(session))).contains(decimals_text(in.trace->number(masked, 1, 0), 3)));
  const auto inspected =
      texts_in(test::page_of_session(in, PageName::inspector, {340.0F, 900.0F}, uniform_measure()).figure);
  const auto in_table = [&](int key) {
    return inspected.contains(rounded_text(in.trace->number(masked, 1, key)));
  };
  EXPECT_FALSE(in_table(0));
  EXPECT_TRUE(in_table(1));
  EXPECT_TRUE(inspected.contains(hidden_number)) << "the place of the score that is asked for";
}

TEST(Worksheet, HasTheLayoutOfItsSolution) {
  const Session session = small_session(StageKind::weights, "every:2");
  const Figure sheet = sheet_of(session);
  const Figure solution = sheet_of(solved(session));
  EXPECT_EQ(sheet.width, 595.0F);
  EXPECT_EQ(sheet.height, 842.0F);
  EXPECT_EQ(solution.width, sheet.width);
  EXPECT_EQ(solution.height, sheet.height);
  std::set<std::pair<float, float>> places;
  for (const Label& label : items_of<Label>(solution)) places.insert({label.at.x, label.at.y});
  for (const Label& label : items_of<Label>(sheet))
    EXPECT_TRUE(places.contains({label.at.x, label.at.y})) << label.text;
}

TEST(Worksheet, GivesWhatItTakes) {
  const Session session = small_session(StageKind::query, "all");
  const PageInputs in = test::inputs_of(session);
  const std::multiset<std::string> texts = texts_in(sheet_of(session));
  for (const StageKind given : {StageKind::input, StageKind::w_query, StageKind::b_query}) {
    const MatrixView numbers =
        in.trace->value(canonical(in.trace->architecture(), session.selection.at(given)));
    ASSERT_FALSE(numbers.empty());
    EXPECT_TRUE(texts.contains(decimals_text(numbers(0, 0), 3))) << info(given).name;
  }
}

TEST(Worksheet, ShowsTheWayToAPinnedCell) {
  Session session = small_session(StageKind::raw, "cells:2.1");
  session.selection.pin = Pin{*session.cover.stage, 2, 1};
  const auto way = explain(*test::inputs_of(session).trace, *session.cover.stage, 2, 1);
  ASSERT_TRUE(way);
  const std::multiset<std::string> sheet = texts_in(sheet_of(session));
  const std::multiset<std::string> solution = texts_in(sheet_of(solved(session)));
  for (const Explanation::Strip& strip : way->strips) {
    EXPECT_TRUE(sheet.contains(strip.label));
    for (const float value : strip.values) {
      const std::string number = decimals_text(value, 3);
      EXPECT_EQ(sheet.contains(number), !strip.is_computed) << strip.label << " " << number;
      EXPECT_TRUE(solution.contains(number));
    }
  }
  EXPECT_FALSE(sheet.contains(decimals_text(static_cast<float>(way->value), 3)));
  EXPECT_TRUE(solution.contains(decimals_text(static_cast<float>(way->value), 3)));
}

TEST(Worksheet, SaysWhatPaperWouldDo) {
  Session session = small_session(StageKind::query, "all");
  session.architecture.d_model = 32;
  session = repaired(session, session);
  const PageInputs in = test::inputs_of(session);
  const auto refused = figure_of_worksheet(in, worksheet_size, uniform_measure());
  ASSERT_FALSE(refused);
  const std::string& said = refused.error().message;
  EXPECT_NE(said.find("does not fit on a page of 595 × 842 points"), std::string::npos) << said;
  const std::size_t at = said.find("it would fit on ");
  ASSERT_NE(at, std::string::npos);
  FigureSize larger = worksheet_size;
  ASSERT_EQ(std::sscanf(said.c_str() + at, "it would fit on %d × %d", &larger.width, &larger.height), 2)
      << said;
  EXPECT_TRUE(figure_of_worksheet(in, larger, uniform_measure()));
  larger.height -= 8;
  EXPECT_FALSE(figure_of_worksheet(in, larger, uniform_measure()));
  Session poster = session;
  poster.architecture.d_model = 64;
  const auto too_large =
      figure_of_worksheet(test::inputs_of(repaired(poster, session)), worksheet_size, uniform_measure());
  ASSERT_FALSE(too_large);
  EXPECT_NE(too_large.error().message.find("would not fit on A2 either: choose fewer words"),
            std::string::npos)
      << too_large.error().message;
  Session nothing = session;
  nothing.cover = {};
  const auto empty = figure_of_worksheet(test::inputs_of(nothing), worksheet_size, uniform_measure());
  ASSERT_FALSE(empty);
  EXPECT_NE(empty.error().message.find("--cover"), std::string::npos);
}

TEST(CoveredNumbers, AreInNoPageOfTheirStage) {
  Session session = small_session(StageKind::weights, "rows:1");
  session.selection.token = 1;
  session.selection.pin = Pin{*session.cover.stage, 1, 0};
  session.picture.range = RangeMode::fixed;
  session = repaired(session, session);
  PageInputs in = test::inputs_of(session);
  std::set<std::string> hidden;
  const MatrixView weights = in.trace->value(*session.cover.stage);
  for (int col = 0; col < weights.cols; ++col)
    for (const std::string& text : {rounded_text(weights(1, col)), number_text(weights(1, col), 3),
                                    number_text(weights(1, col), 5), number_text(weights(1, col))})
      hidden.insert(text);
  for (const PageName name : {PageName::explore, PageName::stages, PageName::inspector}) {
    const Page page = test::page_of_session(in, name, {900.0F, 700.0F}, uniform_measure());
    for (const Label& label : items_of<Label>(page.figure))
      EXPECT_FALSE(hidden.contains(label.text)) << enum_name(name) << ": " << label.text;
  }
  in.session.cover.solution = true;
  const Page shown = test::page_of_session(in, PageName::explore, {900.0F, 700.0F}, uniform_measure());
  EXPECT_TRUE(texts_in(shown.figure).contains(rounded_text(weights(1, 0))));
}

TEST(CoveredNumbers, KeepPagesFromBeingShownThatWouldTellThem) {
  const auto begins = [](const Page& page) {
    const auto labels = items_of<Label>(page.figure);
    return labels.empty() ? std::string() : labels.front().text;
  };
  const PageSize room{900.0F, 700.0F};
  for (const auto& [name, stage] :
       {std::pair(PageName::lines, StageKind::weights), std::pair(PageName::scale, StageKind::scaled),
        std::pair(PageName::split, StageKind::query), std::pair(PageName::tiles, StageKind::output),
        std::pair(PageName::compare, StageKind::weights)}) {
    Session session = small_session(stage, "cells:1.0");
    if (name == PageName::compare) session = reduce(session, SetCompared{});
    ASSERT_TRUE(session.cover.stage);
    PageInputs in = test::inputs_of(session);
    if (name == PageName::compare) in.compared.push_back({in.trace, in.trace_model, {}});
    const Page covered = test::page_of_session(in, name, room, uniform_measure());
    EXPECT_TRUE(begins(covered).starts_with("Some numbers of “Layer 0, head 1")) << enum_name(name);
    EXPECT_TRUE(covered.regions.empty());
    PageInputs answered = in;
    answered.session.cover.right = {{1, 0}};
    for (const PageInputs& open : {answered, test::inputs_of(solved(session))}) {
      if (name == PageName::compare && open.compared.empty()) continue;
      EXPECT_FALSE(
          begins(test::page_of_session(open, name, room, uniform_measure())).starts_with("Some numbers"));
    }
    in.session.selection.head = 0;
    const bool is_of_all_heads = name == PageName::split || name == PageName::compare;
    EXPECT_EQ(begins(test::page_of_session(in, name, room, uniform_measure())).starts_with("Some numbers"),
              is_of_all_heads)
        << enum_name(name) << ": another head is selected";
  }
}

TEST(CoveredNumbers, KeepTheLayoutOfEveryPage) {
  for (const PageName name : {PageName::explore, PageName::stages}) {
    Session session = small_session(StageKind::weights, "all");
    const Page covered =
        test::page_of_session(test::inputs_of(session), name, {900.0F, 700.0F}, uniform_measure());
    const Page lifted =
        test::page_of_session(test::inputs_of(solved(session)), name, {900.0F, 700.0F}, uniform_measure());
    EXPECT_EQ(covered.figure.height, lifted.figure.height);
    ASSERT_EQ(covered.regions.size(), lifted.regions.size());
    for (std::size_t i = 0; i < covered.regions.size(); ++i)
      EXPECT_EQ(covered.regions[i].box, lifted.regions[i].box);
  }
}

TEST(CoveredNumbers, AreNotToldByWhatIsComputedFromThem) {
  Session session = small_session(StageKind::weights, "all");
  const StageId output = session.selection.at(StageKind::output);
  session.selection.stage = StageKind::output;
  session.selection.pin = Pin{output, 1, 0};
  const PageInputs in = test::inputs_of(session);
  const auto explanation = explain(*in.trace, output, 1, 0);
  ASSERT_TRUE(explanation);
  EXPECT_TRUE(uses_hidden(in, *explanation));
  const Page page = test::page_of_session(in, PageName::inspector, {340.0F, 700.0F}, uniform_measure());
  EXPECT_TRUE(items_of<Label>(page.figure).size() > 3);
  for (const Explanation::Strip& strip : explanation->strips)
    EXPECT_FALSE(texts_in(page.figure).contains(strip.label)) << strip.label;
  PageInputs open = in;
  open.session.cover = {};
  open.session.picture.all_numbers = true;
  EXPECT_FALSE(uses_hidden(open, *explanation));
  const auto told =
      texts_in(test::page_of_session(open, PageName::inspector, {340.0F, 900.0F}, uniform_measure()).figure);
  for (const Explanation::Strip& strip : explanation->strips) {
    for (const float value : strip.values)
      EXPECT_TRUE(told.contains(number_text(static_cast<double>(value), 4))) << strip.label;
  }
}

/// Scores that follow cell by cell are hidden in the same cells, and from the softmax on, whole rows are.
/// Other heads and what comes after the heads stay in sight.
TEST(CoveredNumbers, CoverWhatFollowsFromThemInTheirHead) {
  Session session = small_session(StageKind::raw, "cells:1.0");
  const PageInputs in = test::inputs_of(session);
  const StageId raw = *session.cover.stage;
  const auto hides = [&](const PageInputs& inputs, StageKind kind, int row, int col, int head = 1) {
    StageId stage = with_kind(raw, kind);
    stage.head = head;
    return is_hidden(inputs, {normalized(stage), row, col});
  };
  for (const StageKind kind : {StageKind::raw, StageKind::scaled, StageKind::masked}) {
    EXPECT_TRUE(hides(in, kind, 1, 0));
    EXPECT_FALSE(hides(in, kind, 1, 1));
    EXPECT_FALSE(hides(in, kind, 0, 0));
  }
  for (const StageKind kind : {StageKind::weights, StageKind::output}) {
    EXPECT_TRUE(hides(in, kind, 1, 1)) << "the softmax mixes the row";
    EXPECT_FALSE(hides(in, kind, 0, 0));
    EXPECT_FALSE(hides(in, kind, 1, 1, 0)) << "another head";
  }
  EXPECT_FALSE(hides(in, StageKind::query, 1, 0)) << "it is what the scores are made from";
  EXPECT_FALSE(hides(in, StageKind::layer_output, 1, 0));
  PageInputs found = in;
  found.session.cover.right = {{1, 0}};
  EXPECT_FALSE(hides(found, StageKind::weights, 1, 1)) << "the covered number has been found";
  PageInputs keys = in;
  keys.session.cover = {};
  keys.session.cover.stage = with_kind(raw, StageKind::key);
  keys.session.cover.rows = {0};
  EXPECT_TRUE(hides(keys, StageKind::raw, 2, 1)) << "every query meets every key";
}

TEST(CoveredNumbers, AreNotToldByWhatIsMeasuredOnThem) {
  Session session = small_session(StageKind::weights, "cells:1.0");
  session.view = PageName::heads;
  const PageSize room{1200.0F, 900.0F};
  const auto shows = [&](const Session& shown, const std::string& text) {
    const Page page = test::page_of_session(test::inputs_of(shown), PageName::heads, room, uniform_measure());
    return std::ranges::any_of(items_of<Label>(page.figure), [&](const Label& label) {
      return label.text.find(text) != std::string::npos;
    });
  };
  const char* hidden = "Its weights are covered";
  const std::string measure(measure_table.front().title);
  EXPECT_TRUE(shows(session, hidden));
  EXPECT_FALSE(shows(session, measure)) << "of the selected head";
  EXPECT_TRUE(shows(session, "0 of 1 found."));
  EXPECT_FALSE(shows(solved(session), hidden));
  EXPECT_TRUE(shows(solved(session), measure));
  Session other = session;
  other.selection.head = 0;
  EXPECT_FALSE(shows(other, hidden));
  for (const Combine combine : {Combine::mean, Combine::max, Combine::rollout}) {
    session.heads.combine = combine;
    EXPECT_TRUE(shows(session, "Some weights of head")) << static_cast<int>(combine);
    EXPECT_FALSE(shows(solved(session), "Some weights of head"));
  }
}

TEST(CoveredNumbers, AreNotToldByAnAnswerOfTheModel) {
  const auto model = open_model("pronouns", {HEADSCOPE_SOURCE_DIR "/assets/models"});
  ASSERT_TRUE(model);
  Session session = reduce(default_session(), opening_action(*model));
  session.selection.token = 7;
  const auto tells = [&](const Session& shown) {
    const Page page = test::page_of_session(test::inputs_of(shown), PageName::inspector, {340.0F, 900.0F},
                                            uniform_measure());
    return std::ranges::none_of(items_of<Label>(page.figure), [](const Label& label) {
      return label.text.starts_with("Some of the numbers");
    });
  };
  EXPECT_TRUE(tells(session));
  for (const StageKind kind : {StageKind::logits, StageKind::probabilities}) {
    session.cover = {};
    session.cover.stage = StageId{.kind = kind};
    session.cover.rows = {7};
    EXPECT_FALSE(tells(session)) << info(kind).name;
    session.cover.solution = true;
    EXPECT_TRUE(tells(session));
  }
}

/// The greatest number would otherwise stand at the end of the colour bar.
TEST(CoveredNumbers, HaveNoEndInTheColourBar) {
  Session session = small_session(StageKind::raw, "all");
  const auto n_texts = [&](const Session& shown) {
    const auto figure = figure_of(test::inputs_of(shown), {}, uniform_measure());
    return figure ? items_of<Label>(*figure).size() : 0U;
  };
  session.picture.numbers = false;
  session.picture.range = RangeMode::map;
  const std::size_t covered = n_texts(session);
  EXPECT_LT(covered + 1, n_texts(solved(session))) << "the bar has two numbers or more";
  session.picture.range = RangeMode::fixed;
  EXPECT_EQ(n_texts(session), n_texts(solved(session))) << "a range that was chosen tells nothing";
}

TEST(CoveredNumbers, AreNotSaidToBeHatched) {
  Session session = small_session(StageKind::weights, "cells:0.1,0.2,1.2");
  session.attention.mask.causal = true;
  const auto is_said = [&](const Session& shown) {
    const auto figure = figure_of(test::inputs_of(shown), {}, uniform_measure());
    return figure && std::ranges::any_of(items_of<Label>(*figure), [](const Label& label) {
             return label.text.find("hatched") != std::string::npos;
           });
  };
  EXPECT_FALSE(is_said(session)) << "all cells that the mask hides are covered";
  session.cover.cells.pop_back();
  EXPECT_TRUE(is_said(session));
}

TEST(CoveredNumbers, AreCountedOnce) {
  Session session = small_session(StageKind::weights, "rows:1");
  PageInputs in = test::inputs_of(session);
  PageMemo memo;
  PageTools tools{uniform_measure(), 0, memo};
  const StageId stage = *session.cover.stage;
  EXPECT_EQ(cover_statement(in, stage, tools), "0 of 3 found.");
  in.session.cover.right = {{1, 0}};
  EXPECT_EQ(cover_statement(in, stage, tools), "1 of 3 found.") << "another cover";
  Session longer = session;
  longer.sentence = "I am here now";
  const PageInputs other = test::inputs_of(longer);
  EXPECT_EQ(cover_statement(other, stage, tools), "0 of 4 found.") << "another pass";
}

TEST(CoveredNumbers, HaveNoColourInAMapOfSmallCells) {
  Session session = default_session();
  session.sentence.clear();
  for (int i = 0; i < 150; ++i) session.sentence += "word" + std::to_string(i) + " ";
  session.picture.sequential = SequentialMap::viridis;
  session = repaired(session, session);
  ASSERT_NO_THROW(parse_cover(session, "rows:3"));
  session = repaired(session, session);
  FigureSize size;
  const auto figure = figure_of(test::inputs_of(session), size, uniform_measure());
  ASSERT_TRUE(figure);
  const std::vector<Raster> images = items_of<Raster>(*figure);
  ASSERT_EQ(images.size(), 1U) << "no other image holds the covered numbers";
  const Image& map = *images.back().image;
  ASSERT_EQ(map.height, 150);
  const Color ground = theme_of(session.picture.theme).panel;
  for (int y = 0; y < map.height; ++y)
    for (int x = 0; x < map.width; ++x)
      EXPECT_EQ(map.pixels[static_cast<std::size_t>(y * map.width + x)] == ground, y == 3) << y << " " << x;
}

TEST(Worksheet, AsksForARowWithNumbersWorthComputing) {
  Session session = small_session(StageKind::weights, "all");
  session.cover = {};
  OwnedMatrix scores(3, 3);
  scores.values = {9.0F, -9.0F, -9.0F, 1.0F, 0.0F, 0.5F, 2.0F, 0.0F, 0.0F};
  session = reduce(session, SetGiven{path(session.selection.at(StageKind::raw)), scores});
  const PageInputs in = test::inputs_of(session);
  const auto row_of = [&](int token) {
    session.selection.token = token;
    return with_exercise(session, Exercise::row, in.trace.get()).cover.rows;
  };
  EXPECT_EQ(row_of(0), std::vector{1}) << "the row with the greatest entropy, not one of 1, 0 and 0";
  EXPECT_EQ(row_of(2), std::vector{2}) << "the selected row has numbers to compute";
}

TEST(Worksheet, TheMapToFillInStandsOnTheGridOfTheGivenOne) {
  Session session = default_session();
  session.selection.stage = StageKind::weights;
  const Figure sheet = sheet_of(with_exercise(session, Exercise::all));
  std::vector<float> places;
  for (const Label& label : items_of<Label>(sheet))
    if (label.text == "animal" && label.degrees != 0.0F) places.push_back(label.at.x);
  ASSERT_EQ(places.size(), 2U);
  EXPECT_NEAR(places[0], places[1], 1.0F);
}

TEST(CoveredNumbers, AreInNoFile) {
  const auto fonts = test::installed_fonts();
  if (fonts == nullptr) GTEST_SKIP() << "no fonts are installed";
  const Session session = small_session(StageKind::weights, "all");
  const auto sheet = figure_of_worksheet(test::inputs_of(session), worksheet_size, measure_with(fonts));
  ASSERT_TRUE(sheet);
  const std::multiset<std::string> texts = texts_in(*sheet);
  for (const std::string& number : covered_numbers(session)) EXPECT_FALSE(texts.contains(number)) << number;
  const auto pdf = pdf_bytes(std::span(&*sheet, 1), *fonts, {});
  ASSERT_TRUE(pdf);
  EXPECT_EQ(pdf->substr(0, 5), "%PDF-");
}

}  // namespace
}  // namespace headscope
