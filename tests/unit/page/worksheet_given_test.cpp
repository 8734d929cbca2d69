// A worksheet must give everything that its stage's formula takes, or be refused with a reason.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <set>

#include "core/page/worksheet/worksheet_page.h"
#include "core/session/repair.h"
#include "core/text/number_text.h"
#include "tests/unit/page/page_helpers.h"
#include "tests/unit/trace/passes.h"

namespace headscope {
namespace {

std::vector<std::string_view> symbols_longest_first() {
  std::vector<std::string_view> symbols;
  for (const StageInfo& each : all_stage_kinds()) symbols.push_back(each.symbol);
  std::ranges::sort(symbols, std::greater{}, &std::string_view::size);
  return symbols;
}

bool is_word_character(unsigned char letter) {
  constexpr unsigned char first_beyond_ascii = 0x80;
  return std::isalnum(letter) != 0 || letter == '_' || letter == '\'' || letter >= first_beyond_ascii;
}

/// The symbols of stages that stand alone in a formula.
std::set<std::string> symbols_in(std::string text) {
  // Signs are not part of a symbol.
  for (const std::string_view sign : {"·", "−", "√", "‖", "Σ", "⊙", "∞", "ᵀ", "≈", "½", "π", "³"}) {
    for (std::size_t at = text.find(sign); at != std::string::npos; at = text.find(sign))
      text.replace(at, sign.size(), " ");
  }
  std::set<std::string> found;
  const auto symbols = symbols_longest_first();
  for (std::size_t at = 0; at < text.size();) {
    const auto is_here = [&](std::string_view symbol) {
      const std::size_t end = at + symbol.size();
      const bool ends = end >= text.size() || !is_word_character(static_cast<unsigned char>(text[end])) ||
                        !is_word_character(static_cast<unsigned char>(symbol.back()));
      return text.compare(at, symbol.size(), symbol) == 0 && ends;
    };
    const bool begins = at == 0 || !is_word_character(static_cast<unsigned char>(text[at - 1]));
    const auto symbol = begins ? std::ranges::find_if(symbols, is_here) : symbols.end();
    if (symbol == symbols.end()) {
      ++at;
      continue;
    }
    found.emplace(*symbol);
    at += symbol->size();
  }
  return found;
}

TEST(SheetGivens, HasEachSymbolOfTheFormula) {
  std::mt19937 random(31);
  for (int round = 0; round < 150; ++round) {
    const auto trace = testing::pass(testing::random_request(random));
    ASSERT_TRUE(trace);
    for (const StageId& stage : trace->stages()) {
      if (!reason_unsolvable(*trace, stage).empty()) continue;
      const SheetGivens given = sheet_givens(*trace, stage, {});
      std::set<std::string> there;
      for (const StageId& each : given.stages) there.emplace(info(each.kind).symbol);
      const std::string formula = formula_in_symbols(*trace, stage);
      std::set<std::string> taken = symbols_in(formula);
      if (stage.kind == StageKind::dropped) taken.erase("p");  // the rate
      const std::string sum(info(stage.kind).symbol);
      // x + Y is also the name of the stage itself.
      if (formula == sum && taken.erase(sum) > 0)
        taken.insert({sum.substr(0, 1), sum.substr(sum.size() - 1)});
      const auto tells_rule = [](const std::string& note) {
        return note.starts_with("LayerNorm(x) =") || note.starts_with("RMSNorm(x) =");
      };
      EXPECT_EQ(std::ranges::any_of(given.notes, tells_rule), formula.find("Norm(") != std::string::npos)
          << path(stage) << " = " << formula;
      for (const std::string& symbol : taken)
        EXPECT_TRUE(there.contains(symbol)) << path(stage) << " = " << formula << " takes " << symbol;
    }
    if (HasFailure()) return;
  }
}

double number_of(const HeatmapSpec& table, int row, int col) {
  return static_cast<double>(table.source->read({row, col, 1, 1}).view(0, 0));
}

void expect_near(double found, double wanted, const std::string& where) {
  if (std::isinf(wanted) || std::isinf(found)) {
    EXPECT_EQ(found, wanted) << where;
  } else {
    EXPECT_NEAR(found, wanted, 1e-4 * std::max(1.0, std::fabs(wanted))) << where;
  }
}

/// Computes the masked scores from the numbers on the sheet and from the hidden cells that its note names.
void solve_masked(const Trace& trace, const StageId& stage, const SheetGivens& given) {
  const CombinedMask& mask = trace.mask(stage);
  ASSERT_EQ(given.tables.size(), mask.added.empty() ? 0U : 1U);
  const Extent size = trace.extent(stage);
  for (int row = 0; row < size.rows; ++row) {
    for (int col = 0; col < size.cols; ++col) {
      if (!mask.is_visible(stage.head, row, col)) continue;
      double sum = given.tables.empty() ? 0.0 : number_of(given.tables.front(), row, col);
      for (const StageId& input : given.stages) sum += static_cast<double>(trace.number(input, row, col));
      expect_near(sum, static_cast<double>(trace.number(stage, row, col)), path(stage));
    }
  }
}

void solve_dropped(const Trace& trace, const StageId& stage, const SheetGivens& given) {
  ASSERT_EQ(given.tables.size(), 1U);
  const Extent size = trace.extent(stage);
  for (int row = 0; row < size.rows; ++row) {
    for (int col = 0; col < size.cols; ++col)
      expect_near(static_cast<double>(trace.number(given.stages.front(), row, col)) *
                      number_of(given.tables.front(), row, col),
                  static_cast<double>(trace.number(stage, row, col)), path(stage));
  }
}

void solve_rotated(const Trace& trace, const StageId& stage, const SheetGivens& given) {
  ASSERT_EQ(given.tables.size(), 2U);
  const StageId& from = given.stages.front();
  for (int row = 0; row < trace.extent(stage).rows; ++row) {
    for (int pair = 0; pair < given.tables.front().extent().cols; ++pair) {
      int one = -1;
      int other = -1;
      ASSERT_EQ(std::sscanf(given.tables.front().col_labels[pair].c_str(), "%d,%d", &one, &other), 2);
      const double a = trace.number(from, row, one);
      const double b = trace.number(from, row, other);
      const double cosine = number_of(given.tables.front(), row, pair);
      const double sine = number_of(given.tables.back(), row, pair);
      expect_near(a * cosine - b * sine, trace.number(stage, row, one), path(stage));
      expect_near(a * sine + b * cosine, trace.number(stage, row, other), path(stage));
    }
  }
}

TEST(SheetGivens, GivesNumbersThatAreNoStage) {
  std::mt19937 random(32);
  std::set<StageKind> solved;
  for (int round = 0; round < 120; ++round) {
    const auto trace = testing::pass(testing::random_request(random));
    ASSERT_TRUE(trace);
    for (const StageId& stage : trace->stages()) {
      using enum StageKind;
      const SheetGivens given = sheet_givens(*trace, stage, {});
      if (stage.kind == masked) solve_masked(*trace, stage, given);
      if (stage.kind == dropped) solve_dropped(*trace, stage, given);
      if (stage.kind == rotated_query || stage.kind == rotated_key) solve_rotated(*trace, stage, given);
      if (!given.tables.empty()) solved.insert(stage.kind);
    }
    if (HasFailure()) return;
  }
  EXPECT_EQ(solved.size(), 4U);
}

/// The sheet for a single cell must also give every row and column that the cell is computed from.
TEST(SheetGivens, TheWayOfALinearOutputHasItsState) {
  Session session = default_session();
  session.sentence = "I am here";
  session.architecture.d_model = 4;
  session.architecture.n_heads = 2;
  session.architecture.linear_attention = true;
  session.selection.stage = StageKind::output;
  session.selection.token.reset();
  session = repaired(session, session);
  const PageInputs in = test::inputs_of(session);
  const StageId output = in.at(StageKind::output);
  Session way = session;
  way.selection.pin = Pin{output, 2, 1};
  way.cover.stage = output;
  way.cover.cells = {{2, 1}};
  const auto sheet = figure_of_worksheet(test::inputs_of(way), worksheet_size, test::uniform_measure());
  ASSERT_TRUE(sheet) << sheet.error().message;
  std::set<std::string> texts;
  for (const Label& label : test::items_of<Label>(*sheet)) texts.insert(label.text);
  for (const char* line : {"φ(Q) “here”", "S_φ column 1", "z_φ"}) EXPECT_TRUE(texts.contains(line)) << line;
  for (const StageKind kind : {StageKind::mapped_query, StageKind::state_sum}) {
    const int row = kind == StageKind::state_sum ? 0 : 2;
    for (int col = 0; col < 2; ++col)
      EXPECT_TRUE(texts.contains(decimals_text(in.trace->number(in.at(kind), row, col), 3)));
  }
}

TEST(Worksheet, IsRefusedWhereAnInterventionPutsNumbers) {
  Session session = default_session();
  session.interventions.weights = {
      GivenWeight{{session.selection.stack, session.selection.attention, 0, 1}, Cell{1, 0}, 0.5F}};
  session.selection.head = 1;
  session = repaired(session, session);
  const PageInputs in = test::inputs_of(session);
  EXPECT_NE(reason_unsolvable(*in.trace, in.at(StageKind::weights)).find("remove the intervention"),
            std::string::npos);
  EXPECT_TRUE(reason_unsolvable(*in.trace, in.at(StageKind::output)).empty());
}

TEST(Worksheet, TellsNothingThatAnotherPageAsksFor) {
  Session session = default_session();
  session.sentence = "I am here";
  session.architecture.d_model = 4;
  session.architecture.n_heads = 2;
  session.selection.token.reset();
  session = repaired(session, session);
  PageInputs in = test::inputs_of(session);
  const StageId weights = in.at(StageKind::weights);
  in.session.cover.stage = in.at(StageKind::output);
  in.session.cover.all = true;
  const auto texts_of = [](const PageInputs& page) {
    std::multiset<std::string> texts;
    const auto sheet = figure_of_worksheet(page, worksheet_size, test::uniform_measure());
    EXPECT_TRUE(sheet);
    for (const Label& label : test::items_of<Label>(*sheet)) texts.insert(label.text);
    return texts;
  };
  const auto number = [&](int row, int col) { return decimals_text(in.trace->number(weights, row, col), 3); };
  EXPECT_TRUE(texts_of(in).contains(number(1, 0)));
  Cover asked;
  asked.stage = weights;
  asked.rows = {1};
  in.other_pages = {asked};
  const auto texts = texts_of(in);
  for (int col = 0; col < 3; ++col) {
    EXPECT_FALSE(texts.contains(number(1, col))) << col;
    EXPECT_TRUE(texts.contains(number(2, col))) << col;
  }
  EXPECT_TRUE(std::ranges::any_of(texts, [](const std::string& text) {
    return text.starts_with("Empty cells of what is given are found on another page");
  }));
  in.session.cover.solution = true;
  EXPECT_TRUE(texts_of(in).contains(number(1, 0)));
}

/// All numbers of the query are equal. If another page asks for one of them, only that one may be left out.
TEST(Worksheet, LeavesOutTheAskedNumberAndNotItsEqual) {
  Session session = default_session();
  session.sentence = "I am here";
  session.architecture.d_model = 4;
  session.architecture.n_heads = 2;
  session.architecture.positions = Positions::rotary;
  session.selection.token.reset();
  const StageId query = session.selection.at(StageKind::query);
  const auto halves = std::make_shared<const OwnedMatrix>([] {
    OwnedMatrix numbers(3, 2);
    std::ranges::fill(numbers.values, 0.5F);
    return numbers;
  }());
  session.given = with_given(session.given, {path(query), halves});
  session = repaired(session, session);
  PageInputs in = test::inputs_of(session);
  const StageId rotated = in.at(StageKind::rotated_query);
  in.session.cover.stage = rotated;
  in.session.cover.cells = {{1, 0}};
  in.session.selection.pin = Pin{rotated, 1, 0};
  const auto n_halves = [](const PageInputs& page) {
    const auto sheet = figure_of_worksheet(page, worksheet_size, test::uniform_measure());
    EXPECT_TRUE(sheet);
    return std::ranges::count(test::items_of<Label>(*sheet), decimals_text(0.5F, 3), &Label::text);
  };
  EXPECT_EQ(n_halves(in), 2);
  Cover asked;
  asked.stage = query;
  asked.cells = {{1, 0}};
  in.other_pages = {asked};
  EXPECT_EQ(n_halves(in), 1);
}

/// The masked scores are the raw scores in another form, so they would answer a page that asks for raw
/// scores.
TEST(Worksheet, TellsNothingThatAnotherPagesNumbersFollowFrom) {
  Session session = default_session();
  session.sentence = "I am here";
  session.architecture.d_model = 4;
  session.architecture.n_heads = 2;
  session.attention.mask.causal = true;
  session.selection.token.reset();
  session = repaired(session, session);
  PageInputs in = test::inputs_of(session);
  const StageId masked = in.at(StageKind::masked);
  in.session.cover.stage = in.at(StageKind::weights);
  in.session.cover.all = true;
  const auto texts_of = [](const PageInputs& page) {
    std::multiset<std::string> texts;
    const auto sheet = figure_of_worksheet(page, worksheet_size, test::uniform_measure());
    EXPECT_TRUE(sheet);
    for (const Label& label : test::items_of<Label>(*sheet)) texts.insert(label.text);
    return texts;
  };
  const auto number = [&](int row, int col) { return decimals_text(in.trace->number(masked, row, col), 3); };
  EXPECT_TRUE(texts_of(in).contains(number(1, 0)));
  Cover asked;
  asked.stage = in.at(StageKind::raw);
  asked.rows = {1, 2};
  in.other_pages = {asked};
  const auto texts = texts_of(in);
  EXPECT_TRUE(texts.contains(number(0, 0)));
  for (const auto& [row, col] : {std::pair(1, 0), {1, 1}, {2, 0}, {2, 1}, {2, 2}})
    EXPECT_FALSE(texts.contains(number(row, col))) << row << ", " << col;
  const auto says = [&](const std::string& said) {
    return std::ranges::any_of(texts, [&](const std::string& text) { return text.starts_with(said); });
  };
  EXPECT_TRUE(says("Empty cells of M follow from S, which another page asks for")) << "and how";
  EXPECT_TRUE(says("The mask is causal"));
  // Weights reveal the scores of their whole row.
  in.session.cover.stage = in.at(StageKind::output);
  asked.rows.clear();
  asked.cells = {{1, 0}};
  in.other_pages = {asked};
  const StageId weights = in.at(StageKind::weights);
  const auto of_output = texts_of(in);
  EXPECT_FALSE(of_output.contains(decimals_text(in.trace->number(weights, 1, 1), 3)));
  EXPECT_TRUE(of_output.contains(decimals_text(in.trace->number(weights, 2, 1), 3)));
}

TEST(Worksheet, IsRefusedWhereNoCellIsEmpty) {
  Session session = default_session();
  session.sentence = "I am here";
  session = repaired(session, session);
  session.cover.stage = session.selection.at(StageKind::weights);
  session.cover.cells = {{1, 0}, {1, 1}};
  const auto sheet_of = [](const Session& covered) {
    return figure_of_worksheet(test::inputs_of(covered), worksheet_size, test::uniform_measure());
  };
  EXPECT_TRUE(sheet_of(session));
  session.cover.right = session.cover.cells;
  const auto found = sheet_of(session);
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("all 2 covered cells of weights were found"), std::string::npos);
  session.cover.solution = true;
  EXPECT_TRUE(sheet_of(session));
  session.cover = {};
  session.cover.stage = session.selection.at(StageKind::weights);
  const auto none = sheet_of(session);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("the cover leaves every cell of weights as it is"), std::string::npos);
}

}  // namespace
}  // namespace headscope
