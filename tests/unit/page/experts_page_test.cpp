// Tests the page of experts on small mixtures of experts in the format of transformers.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/page/page_numbers.h"
#include "core/page/pages.h"
#include "core/text/number_text.h"
#include "tests/unit/page/page_helpers.h"

namespace headscope {
namespace {

using Json = nlohmann::json;
using test::inputs_of;
using test::uniform_measure;

constexpr PageSize room{1200.0F, 700.0F};
constexpr int n_words = 9;

PageInputs of_mixture(const std::string& family, int layer) {
  const auto model = open_model(HEADSCOPE_SOURCE_DIR "/tests/fixtures/foreign/" + family, {});
  if (!model) {
    ADD_FAILURE() << model.error().message;
    return {};
  }
  Session session = reduce(default_session(), opening_action(*model));
  session.tokenizer = TokenizerKind::ids;
  session.sentence = "1 5 9 2 7 11 3 28 14";
  session.texts = {};
  session.view = PageName::experts;
  session.selection.layer = layer;
  session.selection.token = 2;
  return inputs_of(session);
}

StageId shares_of(const PageInputs& in, int layer) {
  StageId shares = in.at(StageKind::expert_shares);
  shares.layer = layer;
  return shares;
}

Json tables_of(const PageInputs& in) {
  const PageNumbers tables = numbers_of_page(in, PageName::experts);
  if (!tables) return {{"refused", tables.error().message}};
  return Json::parse(json_of_numbers(*tables, PageName::experts, in.session))["tables"];
}

/// The sum that the model's rule gives for the shares of a word's experts, apart from the shared one.
double sum_by_rule(const PageInputs& in, int layer, int word) {
  const Experts& experts = *in.trace->architecture().foreign.experts;
  if (experts.renormalizes) return static_cast<double>(experts.factor);
  StageId logits = shares_of(in, layer);
  logits.kind = StageKind::router_logits;
  double all = 0.0, taken = 0.0;
  for (int expert = 0; expert < experts.count; ++expert) {
    const double score = std::exp(static_cast<double>(in.trace->number(logits, word, expert)));
    all += score;
    if (in.trace->number(shares_of(in, layer), word, expert) != 0.0F) taken += score;
  }
  return static_cast<double>(experts.factor) * taken / all;
}

TEST(ExpertsPage, NumbersAreThoseOfTheStagesAndAddUpByTheModelsRule) {
  for (const char* family : {"mixtral", "qwen2_moe", "gpt_oss", "deepseek_v3", "qwen3_moe_dense"}) {
    SCOPED_TRACE(family);
    const PageInputs in = of_mixture(family, 1);
    ASSERT_NE(in.trace, nullptr);
    const Experts& experts = *in.trace->architecture().foreign.experts;
    const Json tables = tables_of(in);
    std::map<std::pair<int, int>, double> sums;
    std::map<std::pair<int, int>, int> counts;
    for (const Json& row : tables.at("shares")) {
      const int layer = row.at("layer"), word = row.at("position");
      const bool is_shared = row.at("expert") == "shared";
      const int expert = is_shared ? experts.count : row.at("expert").get<int>();
      const auto share = row.at("share").get<double>();
      EXPECT_EQ(share, static_cast<double>(in.trace->number(shares_of(in, layer), word, expert)));
      EXPECT_NE(share, 0.0);
      if (is_shared) continue;
      sums[{layer, word}] += share;
      ++counts[{layer, expert}];
    }
    for (const auto& [place, sum] : sums) EXPECT_NEAR(sum, sum_by_rule(in, place.first, place.second), 1e-5);
    std::map<int, int> all;
    for (const Json& row : tables.at("loads")) {
      const int layer = row.at("layer"), n = row.at("n_tokens");
      EXPECT_EQ(n, (counts[{layer, row.at("expert").get<int>()}]));
      all[layer] += n;
    }
    int n_layers = 0;
    for (int layer = 0; layer < in.trace->architecture().n_layers; ++layer)
      n_layers += in.trace->architecture().has_experts(layer) ? 1 : 0;
    EXPECT_EQ(all.size(), static_cast<std::size_t>(n_layers));
    for (const auto& [layer, n] : all) EXPECT_EQ(n, n_words * experts.top_k) << "layer " << layer;
  }
}

TEST(ExpertsPage, AnswersInWordsAndDrawsTheStageAndTheFirstChoices) {
  const PageInputs in = of_mixture("qwen2_moe", 1);
  ASSERT_NE(in.trace, nullptr);
  PageMemo memo;
  PageTools tools{uniform_measure(), 0, memo};
  const Page page = page_of(in, PageName::experts, room, tools);
  ASSERT_NE(cells_in(page, "experts"), nullptr);
  const int n_experts = in.trace->architecture().foreign.experts->count;
  EXPECT_EQ(cells_in(page, "experts")->n_cols, n_experts + 1);
  EXPECT_TRUE(test::page_contains(page, "shared")) << "the label of the last column";
  for (int layer = 0; layer < 2; ++layer) {
    for (int word = 0; word < n_words; ++word) {
      const StageNumbers row = in.trace->read_row(shares_of(in, layer), word);
      const auto along = row.view.row(0).first(static_cast<std::size_t>(n_experts));
      const auto first = static_cast<int>(std::ranges::max_element(along) - along.begin());
      const auto routed = routed_cell(in, tools, {word, layer});
      ASSERT_TRUE(routed);
      EXPECT_EQ(routed->in_pass, (Pin{shares_of(in, layer), word, first}));
      const std::string share = rounded_text(static_cast<double>(along[static_cast<std::size_t>(first)]));
      EXPECT_NE(routed->said.find("Layer " + std::to_string(layer) + " sends "), std::string::npos);
      EXPECT_NE(routed->said.find(" to expert " + std::to_string(first) + " with " + share),
                std::string::npos)
          << routed->said;
      EXPECT_NE(routed->said.find("; the shared expert with "), std::string::npos);
    }
  }
  EXPECT_FALSE(routed_cell(in, tools, {0, 2}));
  const Headline headline = headline_of(in, PageName::experts, tools);
  EXPECT_EQ(headline.question, "Which expert takes “9”?");
  ASSERT_EQ(headline.answer.size(), 2U);
  EXPECT_TRUE(headline.answer[0].starts_with("Layer 1 sends it to expert "));
}

TEST(ExpertsPage, NamesAllExpertsThatTakeMostWords) {
  Session session = of_mixture("mixtral", 1).session;
  for (const auto& [sentence, n_words_of_all, is_tied] :
       {std::tuple("1 5 9 2 7 11 3 28 14", "9 words", false), std::tuple("5", "1 word", true)}) {
    session.sentence = sentence;
    session.selection.token = 0;
    const PageInputs in = inputs_of(session);
    std::map<int, std::vector<std::string>> experts;  // By the number of words that they take.
    const Json tables = tables_of(in);
    for (const Json& row : tables.at("loads"))
      if (row.at("layer") == 1) experts[row.at("n_tokens")].push_back(row.at("expert").dump());
    const auto& [most, tied] = *experts.rbegin();
    EXPECT_EQ(tied.size() > 1, is_tied);
    const std::string words = " " + std::to_string(most) + " of " + n_words_of_all;
    const std::string said = tied.size() > 1
                                 ? "Experts " + names_text(tied) + " take" + words + " each, the most"
                                 : "Expert " + tied.front() + " takes" + words + ", the most";
    const std::string headline = test::headline_text(in, PageName::experts, uniform_measure());
    EXPECT_NE(headline.find(said), std::string::npos) << said << " in " << headline;
  }
}

TEST(ExpertsPage, ALayerOrAModelWithoutExpertsSaysSo) {
  const PageInputs in = of_mixture("qwen3_moe_dense", 0);
  ASSERT_NE(in.trace, nullptr);
  ASSERT_FALSE(in.trace->architecture().has_experts(0));
  const Page page = test::page_of_session(in, PageName::experts, room, uniform_measure());
  EXPECT_FALSE(test::page_contains(page, "Layer 0 has no experts")) << "the headline says it";
  EXPECT_NE(test::headline_text(in, PageName::experts, uniform_measure()).find("Layer 0 has no experts"),
            std::string::npos);
  EXPECT_TRUE(test::page_contains(page, "First expert in each layer")) << "the other layers are shown";
  const PageInputs dense = inputs_of(default_session());
  EXPECT_TRUE(test::page_contains(test::page_of_session(dense, PageName::experts, room, uniform_measure()),
                                  "This model has no experts and no feed-forward layer"));
  EXPECT_NE(tables_of(dense).at("refused").get<std::string>().find("no experts"), std::string::npos);
}

TEST(ExpertsPage, CoveredSharesAreNotRevealed) {
  PageInputs in = of_mixture("mixtral", 0);
  ASSERT_NE(in.trace, nullptr);
  in.session.cover.stage = shares_of(in, 0);
  in.session.cover.all = true;
  const Page page = test::page_of_session(in, PageName::experts, room, uniform_measure());
  EXPECT_TRUE(page.regions.empty());
  EXPECT_TRUE(test::page_contains(page, "are covered"));
}

}  // namespace
}  // namespace headscope
