#include "core/figure/token_strip.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/figure/bars.h"
#include "tests/unit/figure/figure_helpers.h"

namespace headscope {
namespace {

using test::items_of;
using test::uniform_measure;

TEST(TokenStrip, TheBoxesInSightAreInTheArea) {
  std::mt19937 generator(21);
  for (int round = 0; round < 100; ++round) {
    TokenStripSpec spec;
    spec.tokens = test::random_words(1 + round, generator);
    spec.first_row = round % 4;
    const Box area{10, 20, 400, 180};
    const TokenStripLayout layout = layout_token_strip(spec, area, uniform_measure());
    ASSERT_EQ(layout.boxes.size(), spec.tokens.size());
    for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
      const Box box = layout.boxes[i];
      const int token = static_cast<int>(i);
      if (layout.is_visible(token)) {
        EXPECT_GE(box.x, area.x);
        EXPECT_LE(box.right(), area.right() + 0.01F);
        EXPECT_GE(box.y, area.y);
        EXPECT_LE(box.bottom(), area.bottom());
      }
    }
  }
}

TEST(TokenStrip, BoxesDoNotOverlap) {
  std::mt19937 generator(22);
  TokenStripSpec spec;
  spec.tokens = test::random_words(60, generator);
  const TokenStripLayout layout = layout_token_strip(spec, {0, 0, 500, 200}, uniform_measure());
  EXPECT_GT(layout.n_rows, 1);
  for (std::size_t i = 1; i < layout.boxes.size(); ++i) {
    if (layout.rows[i] == layout.rows[i - 1]) {
      EXPECT_GE(layout.boxes[i].x, layout.boxes[i - 1].right());
    } else {
      EXPECT_GE(layout.boxes[i].y, layout.boxes[i - 1].bottom());
    }
  }
}

/// The middle of an arc may lie above a token that the arc does not belong to.
TEST(TokenStrip, TheNumbersOfSeveralArcsStandAboveTheirTokens) {
  TokenStripSpec spec;
  spec.tokens = {"one", "two", "three", "four", "five", "six", "seven"};
  spec.selected = 6;
  const auto middles = [&](std::vector<float> weights) {
    spec.weights = std::move(weights);
    spec.weight_texts.clear();
    for (std::size_t i = 0; i < spec.weights.size(); ++i)
      spec.weight_texts.push_back("w" + std::to_string(i));
    const TokenStripLayout layout = layout_token_strip(spec, {0, 0, 600, 120}, uniform_measure());
    std::map<std::string, float> found;
    for (const Label& label : items_of<Label>(draw_token_strip(spec, layout, light_theme())))
      if (label.text.starts_with("w")) found[label.text] = label.at.x;
    std::vector<float> centers;
    for (const Box& box : layout.boxes) centers.push_back(box.x + 0.5F * box.w);
    return std::pair(found, centers);
  };
  const auto [several, at] = middles({0.4F, 0.0F, 0.3F, 0.0F, 0.2F, 0.0F, 0.1F});
  EXPECT_EQ(several.size(), 4U);
  EXPECT_NEAR(several.at("w0"), at[0], 0.01F);
  EXPECT_NEAR(several.at("w2"), at[2], 0.01F);
  EXPECT_NEAR(several.at("w4"), at[4], 0.01F);
  EXPECT_NEAR(several.at("w6"), at[6], 0.01F);
  const auto [single, here] = middles({0.0F, 0.95F, 0.0F, 0.0F, 0.0F, 0.0F, 0.05F});
  ASSERT_EQ(single.size(), 1U);
  EXPECT_NEAR(single.at("w1"), 0.5F * (here[1] + here[6]), 0.01F) << "a single one stands above its arc";
}

TEST(TokenStrip, LinesAreDrawnFromTheThresholdOnAndSaidSo) {
  TokenStripSpec spec;
  spec.tokens = {"a", "b", "c", "d"};
  spec.selected = 3;
  spec.weights = {0.5F, 0.02F, 0.01F, 0.47F};
  spec.threshold = 0.02F;
  const TokenStripLayout layout = layout_token_strip(spec, {0, 0, 400, 160}, uniform_measure());
  const std::vector<Curve> lines = items_of<Curve>(draw_token_strip(spec, layout, light_theme()));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_LT(lines.front().thickness, lines.back().thickness) << "the heaviest is drawn last, and thickest";
  EXPECT_LT(lines.front().color.a, lines.back().color.a);
  EXPECT_EQ(line_statement(spec.weights, spec.threshold), "arcs for weights from 0.02: 3 of 4");
  EXPECT_EQ(line_statement({1.0F, 0.0F}, 0.5F), "arcs for weights from 0.5: 1 of 2");
}

TEST(TokenStrip, IdsTouchNeitherEachOtherNorTheEdge) {
  TokenStripSpec spec;
  spec.tokens = {"I", "a", "x", "I", "a", "x", "I", "a"};
  spec.ids = {1234, 5678, 9012, 34567, 8901, 2345, 678901, 2};
  spec.shows_ids = true;
  const Box area{0, 0, 180, 300};
  const Figure figure =
      draw_token_strip(spec, layout_token_strip(spec, area, uniform_measure()), light_theme());
  std::vector<Box> ids;
  for (const Label& label : items_of<Label>(figure)) {
    if (!label.text.starts_with("id ")) continue;
    const TextSize size = uniform_measure()(label.text, label.font, label.size);
    ids.push_back({label.at.x - 0.5F * size.width, label.at.y, size.width, size.height});
  }
  ASSERT_EQ(ids.size(), 8U);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_GE(ids[i].x, area.x);
    const bool begins_row = i == 0 || ids[i].y != ids[i - 1].y;
    EXPECT_TRUE(begins_row || ids[i].x >= ids[i - 1].right()) << i;
  }
}

TEST(TokenStrip, APaddedTokenLooksPaddedAlsoWhereItIsSelected) {
  TokenStripSpec spec;
  spec.tokens = {"a", "b", "c"};
  spec.padded = {false, false, true};
  const TokenStripLayout layout = layout_token_strip(spec, {0, 0, 400, 160}, uniform_measure());
  for (const auto& selected : {std::optional<int>{}, std::optional(1), std::optional(2)}) {
    spec.selected = selected;
    const Figure figure = draw_token_strip(spec, layout, light_theme());
    const std::vector<Hatch> hatches = items_of<Hatch>(figure);
    ASSERT_EQ(hatches.size(), 1U);
    EXPECT_GE(hatches.front().box.x, layout.boxes[2].x);
    const std::vector<Line> lines = items_of<Line>(figure);
    ASSERT_EQ(lines.size(), 1U) << "it is struck out";
    EXPECT_GE(lines.front().from.x, layout.boxes[2].x);
    const Color ground = selected == 2 ? light_theme().accent : light_theme().control;
    EXPECT_FALSE(lines.front().color == ground);
    EXPECT_FALSE(hatches.front().color == ground);
  }
}

TEST(TokenStrip, LinesStayInTheArea) {
  std::mt19937 generator(23);
  for (const int count : {2, 8, 40}) {
    TokenStripSpec spec;
    spec.tokens = test::random_words(count, generator);
    spec.selected = count / 2;
    spec.weights.assign(static_cast<std::size_t>(count), 1.0F / static_cast<float>(count));
    spec.threshold = 0.0F;
    const Box area{0, 0, 900, 220};
    const TokenStripLayout layout = layout_token_strip(spec, area, uniform_measure());
    for (const Curve& line : items_of<Curve>(draw_token_strip(spec, layout, light_theme()))) {
      for (float t = 0.0F; t <= 1.0F; t += 0.05F) {
        const float u = 1.0F - t;
        const float y = u * u * u * line.from.y + 3.0F * u * u * t * line.control_1.y +
                        3.0F * u * t * t * line.control_2.y + t * t * t * line.to.y;
        EXPECT_GE(y, area.y);
        EXPECT_LE(y, area.bottom());
      }
    }
  }
}

TokenStripSpec source_and_target(int n_source, int n_target, std::mt19937& generator) {
  TokenStripSpec spec;
  spec.tokens = test::random_words(n_source + n_target, generator);
  for (int i = 0; i < n_source + n_target; ++i) spec.ids.push_back(1000 + i);
  spec.shows_ids = true;
  spec.first_of_second = n_source;
  return spec;
}

TEST(TokenStrip, AnArcKeepsItsNumberIfTheSentenceTakesSeveralRows) {
  TokenStripSpec spec;
  for (int i = 0; i < 14; ++i) spec.tokens.push_back("token" + std::to_string(i));
  for (const bool shows_numbers : {false, true}) {
    spec.shows_numbers = shows_numbers;
    for (int query = 0; query < 14; ++query) {
      for (int key = 0; key < 14; ++key) {
        spec.selected = query;
        spec.weights.assign(14, 0.0F);
        spec.weight_texts.assign(14, "");
        spec.weights[static_cast<std::size_t>(key)] = 0.993F;
        spec.weight_texts[static_cast<std::size_t>(key)] = "0.993";
        const TokenStripLayout layout = layout_token_strip(spec, {10, 10, 400, 300}, uniform_measure());
        ASSERT_GT(layout.n_rows, 1);
        const auto labels = items_of<Label>(draw_token_strip(spec, layout, light_theme()));
        const auto number = std::ranges::find(labels, "0.993", &Label::text);
        ASSERT_NE(number, labels.end()) << query << " to " << key;
        const std::vector<Point> corners = test::corners(*number, uniform_measure());
        EXPECT_GE(corners[0].x, layout.area.x);
        EXPECT_LE(corners[2].x, layout.area.right());
        EXPECT_LE(corners[2].y, layout.boxes[static_cast<std::size_t>(key)].y);
      }
    }
  }
}

Point on_curve(const Curve& line, float t) {
  const float u = 1.0F - t;
  const auto along = [t, u](float a, float b, float c, float d) {
    return u * u * u * a + 3.0F * u * u * t * b + 3.0F * u * t * t * c + t * t * t * d;
  };
  return {along(line.from.x, line.control_1.x, line.control_2.x, line.to.x),
          along(line.from.y, line.control_1.y, line.control_2.y, line.to.y)};
}

TEST(TokenStrip, NoLineBetweenTwoSentencesCrossesAText) {
  std::mt19937 generator(24);
  TokenStripSpec spec = source_and_target(6, 5, generator);
  spec.weights = {0.2F, 0.1F, 0.3F, 0.1F, 0.2F, 0.1F, 0.0F, 0.0F, 0.0F, 0.0F, 0.0F};
  const MeasureText measure = uniform_measure();
  for (int query = 6; query < 11; ++query) {
    spec.selected = query;
    const TokenStripLayout layout = layout_token_strip(spec, {0, 0, 900, 170}, measure);
    ASSERT_EQ(layout.n_rows, 2);
    ASSERT_EQ(layout.n_visible_rows, 2);
    const Figure figure = draw_token_strip(spec, layout, light_theme());
    const auto lines = items_of<Curve>(figure);
    ASSERT_EQ(lines.size(), 6U);
    for (const Label& label : items_of<Label>(figure)) {
      const std::vector<Point> corners = test::corners(label, measure);
      const Box text{corners[0].x, corners[0].y, corners[2].x - corners[0].x, corners[2].y - corners[0].y};
      for (const Curve& line : lines) {
        for (float t = 0.0F; t <= 1.0F; t += 0.01F)
          EXPECT_FALSE(text.contains(on_curve(line, t))) << label.text;
      }
    }
  }
}

TEST(TokenStrip, NumbersOfTheSourceStandAboveItsBoxesAndOfTheTargetBelow) {
  std::mt19937 generator(25);
  const TokenStripSpec spec = source_and_target(3, 4, generator);
  const Box area{0, 0, 900, 170};
  const TokenStripLayout layout = layout_token_strip(spec, area, uniform_measure());
  int n_ids = 0;
  for (const Label& label : items_of<Label>(draw_token_strip(spec, layout, light_theme()))) {
    if (!label.text.starts_with("id ")) continue;
    const auto token = static_cast<std::size_t>(std::stoi(label.text.substr(3)) - 1000);
    const std::vector<Point> corners = test::corners(label, uniform_measure());
    if (token < 3) {
      EXPECT_LE(corners[2].y, layout.boxes[token].y);
      EXPECT_GE(corners[0].y, area.y);
    } else {
      EXPECT_GE(corners[0].y, layout.boxes[token].bottom());
      EXPECT_LE(corners[2].y, area.bottom());
    }
    ++n_ids;
  }
  EXPECT_EQ(n_ids, 7);
}

TEST(TokenStrip, TheHeightThatRowsNeedShowsThemAndNoneLess) {
  std::mt19937 generator(26);
  for (const int n_source : {0, 4, 30}) {
    TokenStripSpec spec = source_and_target(n_source, 30, generator);
    const TokenStripLayout any = layout_token_strip(spec, {0, 0, 500, 100}, uniform_measure());
    ASSERT_GT(any.n_rows, 2);
    for (int rows = 1; rows <= any.n_rows; ++rows) {
      const auto visible = [&](float height) {
        return layout_token_strip(spec, {0, 0, 500, height}, uniform_measure()).n_visible_rows;
      };
      EXPECT_EQ(visible(any.height_of(rows)), rows);
      EXPECT_EQ(visible(any.height_of(rows) - 1.0F), std::max(rows - 1, 1));
    }
  }
}

TEST(TokenStrip, NothingSelectedOrOutOfRangeDrawsNoLine) {
  TokenStripSpec spec;
  EXPECT_TRUE(
      items_of<Label>(draw_token_strip(spec, layout_token_strip(spec, {0, 0, 100, 100}, uniform_measure()),
                                       light_theme()))
          .empty());
  spec.tokens = {"a"};
  spec.weights = {1.0F};
  for (const std::optional<int> selected : {std::optional<int>(), std::optional<int>(7)}) {
    spec.selected = selected;
    const TokenStripLayout layout = layout_token_strip(spec, {0, 0, 100, 100}, uniform_measure());
    EXPECT_TRUE(items_of<Curve>(draw_token_strip(spec, layout, light_theme())).empty());
  }
}

TEST(Bars, TheFigureIsAsHighAsItsLines) {
  BarListSpec spec;
  for (int i = 0; i < 20; ++i) spec.bars.push_back({"w" + std::to_string(i), 1.0 / (i + 1), "x", {}});
  const Figure all = draw_bars(spec, 300, light_theme(), uniform_measure());
  EXPECT_EQ(std::ranges::count(items_of<Label>(all), "x", &Label::text), 20);
  for (const Label& label : items_of<Label>(all)) EXPECT_LT(label.at.y, all.height);
  spec.bars.resize(5);
  const Figure some = draw_bars(spec, 300, light_theme(), uniform_measure());
  EXPECT_EQ(std::ranges::count(items_of<Label>(some), "x", &Label::text), 5);
  EXPECT_FLOAT_EQ(some.height, all.height / 4.0F);
}

TEST(Bars, LengthIsProportionalToTheValue) {
  BarListSpec spec;
  spec.bars = {{"a", 1.0, "1", {1, 2, 3}}, {"b", 0.5, ".5", {1, 2, 3}}, {"c", 0.0, "0", {1, 2, 3}}};
  std::vector<float> widths;
  for (const FilledRect& rect :
       items_of<FilledRect>(draw_bars(spec, 300, light_theme(), uniform_measure()))) {
    if (rect.color == Color{1, 2, 3}) widths.push_back(rect.box.w);
  }
  ASSERT_EQ(widths.size(), 2U) << "zero has no bar";
  EXPECT_FLOAT_EQ(widths[0], 2.0F * widths[1]);
}

TEST(Histograms, StateTheRatioOfTheVariances) {
  Statistics before;
  before.count = 4;
  before.variance = 32.0;
  Statistics after = before;
  after.variance = 2.0;
  const auto ratio_text = [](const Statistics& first, const Statistics& second) {
    return items_of<Label>(draw_histograms({"raw", {}, first}, {"scaled", {}, second}, {0, 0, 2000, 100},
                                           light_theme(), uniform_measure()))
        .back()
        .text;
  };
  EXPECT_NE(ratio_text(before, after).find("ratio 16"), std::string::npos);
  after.variance = 0.0;
  EXPECT_NE(ratio_text(before, after).find("equal"), std::string::npos);
  EXPECT_EQ(ratio_text({}, {}), "no variance, because no score is finite");
}

TEST(Bars, ALongLabelHasUpToHalfOfTheWidth) {
  BarListSpec spec;
  spec.bars = {{"unknown words", 0.5, "0.5", {}}, {"it", 0.5, "0.5", {}}};
  const auto first_label = [&](float width) {
    return items_of<Label>(draw_bars(spec, width, light_theme(), uniform_measure())).front().text;
  };
  const float needed = uniform_measure()("unknown words", Font::sans, spec.font_size).width;
  EXPECT_EQ(first_label(2.0F * (needed + 10.0F)), "unknown words");
  EXPECT_NE(first_label(1.5F * needed), "unknown words") << "the bars keep the other half";
}

TEST(Bars, AMarkIsNeverCut) {
  BarListSpec spec;
  for (int i = 0; i < 3; ++i) {
    spec.bars.push_back({"unknown and very long word", 0.5, "0.5", {}, " " + std::to_string(i)});
  }
  std::set<std::string> labels;
  for (const Label& label : items_of<Label>(draw_bars(spec, 220, light_theme(), uniform_measure()))) {
    if (label.font == Font::sans) labels.insert(label.text);
  }
  EXPECT_EQ(labels.size(), 3U) << "three words that look the same are told apart";
  for (const std::string& label : labels) EXPECT_NE(label.find("… "), std::string::npos) << label;
}

}  // namespace
}  // namespace headscope
