#include "core/page/lines/lines_page.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <set>

#include "core/figure/colormap.h"
#include "core/session/settings.h"
#include "core/text/number_text.h"
#include "core/trace/summary.h"
#include "tests/unit/checkpoint/tiny_bert.h"
#include "tests/unit/page/page_helpers.h"

namespace headscope {
namespace {

using test::inputs_of;
using test::items_of;
using test::uniform_measure;

constexpr PageSize room_of_lines{912.0F, 752.0F};
constexpr std::size_t plenty = 1000;

OwnedMatrix matrix(int rows, int cols, std::vector<float> values) {
  OwnedMatrix out(rows, cols);
  out.values = std::move(values);
  return out;
}

const OwnedMatrix& by_hand() {
  static const OwnedMatrix weights = matrix(3, 3,
                                            {0.5F, 0.3F, 0.2F,  //
                                             0.1F, 0.8F, 0.1F,  //
                                             1.0F, 0.0F, 0.0F});
  return weights;
}

FoundLines found_in(const std::vector<OwnedMatrix>& heads, const LineRules& rules,
                    const PickedTokens& from = {}, std::size_t most = plenty) {
  LineRules picked = rules;
  picked.from = from;
  picked.most = most;
  FoundLines found;
  for (int head = 0; head < static_cast<int>(heads.size()); ++head)
    add_lines(head, 0, heads[static_cast<std::size_t>(head)].view(), picked, found);
  sort_lines(found);
  return found;
}

std::set<std::pair<int, int>> cells_of(const FoundLines& found) {
  std::set<std::pair<int, int>> cells;
  for (const AttentionLine& line : found.lines) cells.insert({line.query, line.key});
  return cells;
}

bool lines_say(const Page& page, std::string_view text) {
  std::string all;
  for (const Label& label : items_of<Label>(page.figure)) all += label.text + " ";
  return all.find(text) != std::string::npos;
}

Page lines_page_of(const PageInputs& in, const PageSize& size = room_of_lines) {
  return test::page_of_session(in, PageName::lines, size, uniform_measure());
}

Session lines_of_model(const std::string& name) {
  const auto model = open_model(name, {HEADSCOPE_SOURCE_DIR "/assets/models"});
  EXPECT_TRUE(model);
  Session session = reduce(default_session(), opening_action(*model));
  session.view = PageName::lines;
  return session;
}

/// With dropout, a head has weights before and after it. The map, the lines, the sentence and the inspector
/// must all show the weights before dropout, and say so, unless the stage after dropout is selected.
TEST(LinesPage, ShowsTheSameWeightsAsTheMapAndTheInspectorWhereDropoutIsOn) {
  Session session = default_session();
  session.attention.train = true;
  session.attention.dropout = 0.4F;
  session.selection.token = 7;
  for (const StageKind kind : {StageKind::weights, StageKind::raw, StageKind::dropped}) {
    session.selection.stage = kind;
    const PageInputs in = inputs_of(session);
    const StageKind shown = kind == StageKind::dropped ? StageKind::dropped : StageKind::weights;
    const StageKind other = kind == StageKind::dropped ? StageKind::weights : StageKind::dropped;
    const std::string when = kind == StageKind::dropped ? "after dropout" : "before dropout";
    EXPECT_EQ(shown_weights(in).kind, shown);
    EXPECT_EQ(line_stage_kind(in), shown);
    const Page lines = lines_page_of(in);
    EXPECT_TRUE(
        lines_say(lines, kind == StageKind::dropped ? "Weights after dropout" : "weights, before dropout"));
    PageMemo memo;
    PageTools tools{uniform_measure(), 0, memo};
    const ShownLines drawn = shown_lines(in, tools);
    ASSERT_NE(drawn.found, nullptr);
    for (const AttentionLine& line : drawn.found->lines)
      EXPECT_EQ(line.weight, in.trace->number(in.at(shown), line.query, line.key));
    const Page inspector =
        test::page_of_session(in, PageName::inspector, {320.0F, 700.0F}, uniform_measure());
    EXPECT_TRUE(lines_say(inspector, "head 0, " + when));
    const StageNumbers row = in.trace->read(in.at(shown), {7, 0, 1, in.trace->n_tokens()});
    const StageNumbers others = in.trace->read(in.at(other), {7, 0, 1, in.trace->n_tokens()});
    const auto greatest = [&in](const StageNumbers& numbers) {
      return page_number(in.session.picture, ranked_keys(numbers.view, 0).front().weight);
    };
    EXPECT_TRUE(lines_say(inspector, greatest(row)));
    EXPECT_FALSE(lines_say(inspector, greatest(others)));
    EXPECT_TRUE(
        lines_say(test::page_of_session(in, PageName::explore, room_of_lines, uniform_measure()), when));
  }
  session.attention.train = false;
  session.selection.stage = StageKind::weights;
  EXPECT_FALSE(lines_say(lines_page_of(inputs_of(session)), "dropout"));
}

TEST(LinesPage, LinesHaveTheColourOfDataUnlessTheirTokenIsPicked) {
  PageInputs in = inputs_of(default_session());
  const Theme& theme = theme_of(in.session.picture.theme);
  for (const bool is_picked : {false, true}) {
    if (is_picked) in.hovered_line = LineToken{.is_key = false, .token = 7};
    const Page page = lines_page_of(in);
    const Color& wanted = is_picked ? theme.accent : theme.data;
    int n = 0;
    for (const Line& line : items_of<Line>(page.figure)) {
      EXPECT_EQ(with_opacity(line.color, 1.0F), wanted);
      ++n;
    }
    EXPECT_GT(n, 0);
  }
}

TEST(AttentionLines, AreThoseFromTheThresholdOn) {
  const FoundLines found = found_in({by_hand()}, {0.25F, 1.0F, {}});
  EXPECT_EQ(cells_of(found), (std::set<std::pair<int, int>>{{0, 0}, {0, 1}, {1, 1}, {2, 0}}));
  EXPECT_NEAR(found.drawn, 2.6, 1e-6);
  EXPECT_NEAR(found.total, 3.0, 1e-6);
  EXPECT_TRUE(std::ranges::is_sorted(found.lines, {}, &AttentionLine::weight)) << "the heaviest on top";
  EXPECT_EQ(found_in({by_hand()}, {}).lines.size(), 7U) << "no weight, no line";
}

TEST(AttentionLines, AreTheStrongestThatMakeUpAShareOfEachRow) {
  EXPECT_EQ(cells_of(found_in({by_hand()}, {0.0F, 0.75F, {}})),
            (std::set<std::pair<int, int>>{{0, 0}, {0, 1}, {1, 1}, {2, 0}}));
  EXPECT_EQ(cells_of(found_in({by_hand()}, {0.0F, 0.5F, {}})),
            (std::set<std::pair<int, int>>{{0, 0}, {1, 1}, {2, 0}}));
}

TEST(AttentionLines, OfHiddenKeysAreSharedOutSoThatRowsKeepTheirSum) {
  const LineRules rules{0.0F, 1.0F, {1, 0, 0}};
  const FoundLines found = found_in({by_hand()}, rules);
  EXPECT_EQ(cells_of(found), (std::set<std::pair<int, int>>{{0, 1}, {0, 2}, {1, 1}, {1, 2}}));
  std::vector<double> sums(3, 0.0);
  for (const AttentionLine& line : found.lines)
    sums[static_cast<std::size_t>(line.query)] += static_cast<double>(line.weight);
  EXPECT_NEAR(sums[0], 1.0, 1e-6);
  EXPECT_NEAR(sums[1], 1.0, 1e-6);
  EXPECT_EQ(sums[2], 0.0) << "it looks at hidden keys alone";
  EXPECT_NEAR(found.hidden, 1.6, 1e-6);
  EXPECT_NEAR(found.before, 3.0, 1e-6);
  for (const AttentionLine& line : found.lines) {
    if (line.query > 0) continue;
    EXPECT_NEAR(line.weight, 2.0F * by_hand().view()(0, line.key), 1e-6F);
  }
}

TEST(AttentionLines, OfPickedTokensHaveTheirShares) {
  const FoundLines queries = found_in({by_hand()}, {}, {false, {0, 1}});
  ASSERT_EQ(queries.shares.size(), 1U);
  EXPECT_NEAR(queries.shares[0][0], 0.6F, 1e-6F);
  EXPECT_NEAR(queries.shares[0][1], 1.1F, 1e-6F) << "summed over both";
  EXPECT_EQ(queries.lines.size(), 6U);
  const FoundLines keys = found_in({by_hand()}, {}, {true, {0}});
  EXPECT_EQ(keys.shares[0], (std::vector<float>{0.5F, 0.1F, 1.0F}));
  EXPECT_EQ(cells_of(keys), (std::set<std::pair<int, int>>{{0, 0}, {1, 0}, {2, 0}}));
}

TEST(AttentionLines, OfSeveralHeadsAreTheHeaviestOfAll) {
  const OwnedMatrix other = matrix(3, 3, {0.4F, 0.6F, 0.0F, 0.9F, 0.1F, 0.0F, 0.7F, 0.2F, 0.1F});
  const FoundLines found = found_in({by_hand(), other}, {}, {}, 3);
  EXPECT_EQ(found.n_found, 14);
  EXPECT_EQ(found.lines, (std::vector<AttentionLine>{{0, 1, 1, 0.8F}, {1, 1, 0, 0.9F}, {0, 2, 0, 1.0F}}));
}

/// Weights to the pieces of a word are summed, and weights from them are averaged.
TEST(LinesPage, DrawsSubWordsAsWordsWhereAsked) {
  Session session = reduce(default_session(), opening_action(tiny_bert()));
  session.sentence = "the unhappiness";
  session.texts = {};
  session.view = PageName::lines;
  session.picture.line_threshold = 0.0F;
  session.lines.whole_words = true;
  const PageInputs in = inputs_of(session);
  EXPECT_EQ(drawn_tokens(in, Axis::key_tokens).texts,
            (std::vector<std::string>{"[CLS]", "the", "unhappiness", "[SEP]"}));
  PageMemo memo;
  PageTools tools{uniform_measure(), 0, memo};
  const ShownLines drawn = shown_lines(in, tools);
  ASSERT_NE(drawn.found, nullptr);
  const StageId weights = in.at(StageKind::weights);
  const auto weight = [&](int query, int key) { return in.trace->number(weights, query, key); };
  const auto line = [&](int query, int key) {
    const auto found = std::ranges::find_if(drawn.found->lines, [&](const AttentionLine& each) {
      return each.query == query && each.key == key;
    });
    return found == drawn.found->lines.end() ? -1.0F : found->weight;
  };
  EXPECT_NEAR(line(1, 2), weight(1, 2) + weight(1, 3) + weight(1, 4), 1e-6F);
  EXPECT_NEAR(line(2, 1), (weight(2, 1) + weight(3, 1) + weight(4, 1)) / 3.0F, 1e-6F);
  EXPECT_NEAR(drawn.found->total, 4.0, 1e-5);
  EXPECT_TRUE(lines_say(lines_page_of(in), "weights to a word are summed"));
}

TEST(AttentionLines, HideWhatTheSessionSays) {
  std::vector<Token> tokens;
  for (const char* text : {"The", "[SEP]", ".", "cat", "<s>", "“"}) tokens.push_back({text, text, 0, {}});
  tokens[4].is_special = true;
  using Marks = std::vector<std::uint8_t>;
  EXPECT_EQ(hidden_keys(tokens, {}), Marks{});
  EXPECT_EQ(hidden_keys(tokens, {.first = true}), (Marks{1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(hidden_keys(tokens, {.special = true}), (Marks{0, 1, 0, 0, 1, 0}));
  EXPECT_EQ(hidden_keys(tokens, {.punctuation = true}), (Marks{0, 0, 1, 0, 0, 1}));
}

TEST(DistinctColors, DifferAndStandOutInBothThemes) {
  for (const ThemeName theme : {ThemeName::light, ThemeName::dark}) {
    for (const int n : {2, 8, 12, 24}) {
      const std::vector<Color> colors = distinct_colors(n, theme);
      ASSERT_EQ(colors.size(), static_cast<std::size_t>(n));
      const Oklab ground = to_oklab(theme_of(theme).panel);
      for (std::size_t i = 0; i < colors.size(); ++i) {
        EXPECT_GT(distance(to_oklab(colors[i]), ground), 0.25) << n << ", " << i;
        for (std::size_t j = 0; j < i; ++j)
          EXPECT_GT(distance(to_oklab(colors[i]), to_oklab(colors[j])), n > 12 ? 0.03 : 0.06)
              << i << ", " << j;
      }
    }
  }
}

TEST(LinesPage, DrawsTheLinesOfTheSelectedHeadAndSaysWhatIsLeftOut) {
  Session session = lines_of_model("pronouns");
  session.selection.token.reset();
  session.picture.line_threshold = 0.05F;
  const PageInputs in = inputs_of(session);
  const Page page = lines_page_of(in);
  const MatrixView weights = in.trace->value(in.at(StageKind::weights));
  std::size_t n = 0;
  double left_out = 0.0;
  for (int row = 0; row < weights.rows; ++row) {
    for (const float weight : weights.row(row)) {
      n += weight >= 0.05F ? 1 : 0;
      left_out += weight >= 0.05F ? 0.0 : static_cast<double>(weight) / weights.rows;
    }
  }
  ASSERT_GT(n, 0U);
  EXPECT_EQ(items_of<Line>(page.figure).size(), n);
  const std::string said = "what is not drawn carries " + rounded_text(left_out) + " of the attention";
  EXPECT_TRUE(lines_say(page, said)) << said;
}

TEST(LinesPage, OfSeveralHeadsHasAColourForEachAndDimsNone) {
  Session session = lines_of_model("pronouns");
  const auto alphas = [](const Page& page) {
    std::set<int> opacities;
    for (const Line& line : items_of<Line>(page.figure)) opacities.insert(line.color.a);
    return opacities;
  };
  session.selection.heads = {{1, 0}};
  const std::set<int> alone = alphas(lines_page_of(inputs_of(session)));
  session.selection.heads = {{0, 1}, {1, 0}, {1, 2}};
  const Page page = lines_page_of(inputs_of(session));
  const std::set<int> together = alphas(page);
  EXPECT_TRUE(std::ranges::includes(together, alone)) << "the same weights are as dark as alone";
  std::set<std::array<int, 3>> colors;
  for (const Line& line : items_of<Line>(page.figure))
    colors.insert({line.color.r, line.color.g, line.color.b});
  EXPECT_EQ(colors.size(), 3U);
  EXPECT_TRUE(lines_say(page, "3 heads, a colour for each"));
}

TEST(LinesPage, HidesKeysAndSaysTheirShare) {
  Session session = lines_of_model("pronouns");
  session.lines.hidden.first = true;
  const Page page = lines_page_of(inputs_of(session));
  EXPECT_TRUE(lines_say(page, "Hidden keys: the first token. They had 0."));
}

TEST(LinesPage, ShowsTheSharesOfTheTokenUnderTheMouse) {
  PageInputs in = inputs_of(lines_of_model("pronouns"));
  EXPECT_TRUE(lines_say(lines_page_of(in), "From every token")) << "a selected row does not narrow it";
  in.session.selection.picked = {false, {7}};
  EXPECT_TRUE(lines_say(lines_page_of(in), "From “it”"));
  in.hovered_line = LineToken{true, 1};
  const Page incoming = lines_page_of(in);
  EXPECT_TRUE(lines_say(incoming, "To “animal”"));
  for (const bool arcs : {false, true}) {
    in.session.lines.arcs = arcs;
    in.hovered_line = LineToken{false, 7};
    EXPECT_TRUE(lines_say(lines_page_of(in), "From “it”"));
  }
}

TEST(LinesPage, OfCrossAttentionHasTheTokensOfBothSentences) {
  for (const bool arcs : {false, true}) {
    Session session = lines_of_model("reversing");
    session.lines.arcs = arcs;
    session.selection.token.reset();
    const PageInputs in = inputs_of(session);
    const Page page = lines_page_of(in);
    const Extent map = in.trace->extent(in.at(StageKind::weights));
    int n_keys = 0;
    int n_queries = 0;
    for (const HitRegion& region : page.regions) {
      if (const auto* end = std::get_if<LineToken>(&region.meaning)) ++(end->is_key ? n_keys : n_queries);
    }
    EXPECT_EQ(n_keys, map.cols);
    EXPECT_EQ(n_queries, map.rows);
  }
}

TEST(LinesPage, DrawsTheHeaviestOfManyLinesAndSaysSo) {
  Session session = default_session();
  session.view = PageName::lines;
  session.sentence.clear();
  for (int i = 0; i < 64; ++i) session.sentence += " word" + std::to_string(i);
  session.selection.token.reset();
  session.picture.line_threshold = 0.0F;
  const Page page = lines_page_of(inputs_of(reduce(session, set_selected(&Selection::pin, {}))));
  EXPECT_EQ(items_of<Line>(page.figure).size(), max_drawn_lines);
  EXPECT_TRUE(lines_say(page, "2000 lines, the strongest of 4096"));
}

/// Nobody can click in a file, and what it leaves out is said without counting.
TEST(LinesPage, AFileHasALegendOfTheDrawnHeadsAndNoBoxesToTick) {
  Session session = default_session();
  session.view = PageName::lines;
  session.selection.token.reset();
  PageInputs in = inputs_of(reduce(session, set_selected(&Selection::pin, {})));
  const auto n_named = [&](const Page& page) {
    int n = 0;
    for (const Label& label : items_of<Label>(page.figure)) n += label.text == "0.0" || label.text == "0.1";
    return n;
  };
  EXPECT_EQ(n_named(lines_page_of(in)), 2);
  EXPECT_TRUE(lines_say(lines_page_of(in), "of the attention"));
  in.in_file = true;
  EXPECT_EQ(n_named(lines_page_of(in)), 0) << "the heading names the only head";
  EXPECT_FALSE(lines_say(lines_page_of(in), "of the attention"));
  EXPECT_TRUE(lines_say(lines_page_of(in), "are left out."));
  in.session.selection.heads = {{0, 0}, {0, 1}};
  const Page both = lines_page_of(in);
  EXPECT_EQ(n_named(both), 2);
  for (const StrokedRect& box : items_of<StrokedRect>(both.figure))
    EXPECT_GT(box.box.w, 10.0F) << "an empty box to tick";
}

TEST(LinesPage, PickedTokensAreRefusedInWords) {
  Session session = default_session();
  const auto& notation = std::get<field::Notation>(setting("selection.picked").field);
  EXPECT_NO_THROW(notation.write(session, "keys:3,1,3"));
  EXPECT_EQ(session.selection.picked, (PickedTokens{true, {1, 3}}));
  EXPECT_EQ(notation.read(session), "keys:1,3");
  const Session before = session;
  for (const char* wrong : {"3", "keys:", "queries:-1"})
    EXPECT_THROW(notation.write(session, wrong), tl::bad_expected_access<Error>) << wrong;
  EXPECT_EQ(session, before) << "a notation that is refused changes nothing";
  const auto& hidden = std::get<field::Notation>(setting("lines.hidden").field);
  EXPECT_THROW(hidden.write(session, "first,nouns"), tl::bad_expected_access<Error>);
  EXPECT_NO_THROW(hidden.write(session, "none"));
}

}  // namespace
}  // namespace headscope
