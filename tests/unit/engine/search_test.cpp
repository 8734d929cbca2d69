// Searches sentences of random words, and compares the findings with a plain search through whole passes.
#include "core/engine/search.h"

#include <gtest/gtest.h>

#include <random>

#include "core/engine/engine.h"
#include "core/measures/measure.h"
#include "core/session/action.h"

namespace headscope {
namespace {

Request random_request(unsigned seed) {
  Request request;
  Architecture& a = request.architecture;
  a.n_layers = 1 + static_cast<int>(seed % 3);
  a.n_heads = 2;
  a.d_model = 12;
  a.seed = seed;
  a.residual = seed % 2 == 0;
  a.norm = seed % 4 == 0 ? Norm::pre : Norm::none;
  a.d_ff = seed % 5 == 0 ? 20 : 0;
  a.output_layer = OutputLayer::linear;
  request.attention.mask.causal = seed % 2 == 1;
  return request;
}

std::string random_text(std::mt19937& random, int n_lines) {
  std::string text;
  for (int line = 0; line < n_lines; ++line) {
    const int n = 1 + static_cast<int>(random() % 9);
    for (int i = 0; i < n; ++i)
      text += (i == 0 ? "" : " ") + std::string(1, static_cast<char>('a' + random() % 6));
    text += line % 7 == 3 ? "\r\n\n" : "\n";
  }
  return text;
}

TEST(Search, FindsTheRowsOfWholePasses) {
  for (unsigned seed = 0; seed < 24; ++seed) {
    std::mt19937 random(seed);
    const Request request = random_request(seed);
    const Stack stack = request.architecture.last_stack();
    const HeadId head{stack, AttentionKind::self,
                      static_cast<int>(seed % static_cast<unsigned>(request.architecture.n_layers)),
                      static_cast<int>(seed % 2)};
    const std::vector<SearchLine> lines = lines_to_search(random_text(random, 30));
    const SearchCriteria criteria{head, {}, seed % 3 == 0 ? "" : "a", seed % 3 == 1 ? "" : "b"};
    std::size_t n_seen = 0;
    auto searching = search(request, criteria, lines, 5);
    while (searching.next()) ++n_seen;
    const auto result = searching.take();
    ASSERT_TRUE(result.has_value()) << result.error().message;
    EXPECT_EQ(n_seen, lines.size());
    // Find the greatest weight of each line in a whole pass.
    std::vector<double> best_of_lines;
    Engine engine;
    Request whole = request;
    for (const SearchLine& line : lines) {
      whole.sentence = line.text;
      const auto trace = engine.compute(whole);
      ASSERT_TRUE(trace.has_value());
      const StageId weights{StageKind::weights, stack, head.layer, AttentionKind::self, head.head};
      double best = -1.0;
      const auto& tokens = (*trace)->tokens();
      for (int i = 0; i < (*trace)->n_tokens(); ++i) {
        for (int j = 0; j < (*trace)->n_tokens(); ++j) {
          const bool from =
              criteria.from.empty() || tokens[static_cast<std::size_t>(i)].text == criteria.from;
          const bool to = criteria.to.empty() || tokens[static_cast<std::size_t>(j)].text == criteria.to;
          if (from && to) best = std::max(best, static_cast<double>((*trace)->number(weights, i, j)));
        }
      }
      if (best >= 0.0) best_of_lines.push_back(best);
      const auto found = std::ranges::find(result->found, line.number, &Finding::line);
      if (found != result->found.end()) {
        EXPECT_EQ(found->value, best);
        EXPECT_EQ(static_cast<double>((*trace)->number(weights, found->query, found->key)), best);
        EXPECT_EQ(found->query_token, tokens[static_cast<std::size_t>(found->query)].text);
        EXPECT_EQ(found->key_token, tokens[static_cast<std::size_t>(found->key)].text);
      }
    }
    EXPECT_EQ(result->n_sentences, static_cast<int>(lines.size()));
    EXPECT_EQ(result->n_matches, static_cast<int>(best_of_lines.size()));
    std::ranges::sort(best_of_lines, std::greater());
    ASSERT_EQ(result->found.size(), std::min<std::size_t>(best_of_lines.size(), 5));
    for (std::size_t i = 0; i < result->found.size(); ++i)
      EXPECT_EQ(result->found[i].value, best_of_lines[i]);
  }
}

TEST(Search, ByAMeasureComparesRows) {
  Request request = random_request(1);
  const HeadId head{request.architecture.last_stack(), AttentionKind::self, 0, 1};
  std::mt19937 random(5);
  const std::vector<SearchLine> lines = lines_to_search(random_text(random, 40));
  const auto result = search(request, {head, HeadMeasure::previous}, lines).finish();
  ASSERT_TRUE(result.has_value()) << result.error().message;
  ASSERT_FALSE(result->found.empty());
  Engine engine;
  for (const Finding& found : result->found) {
    request.sentence = found.sentence;
    const auto trace = engine.compute(request);
    ASSERT_TRUE(trace.has_value());
    const StageId weights{StageKind::weights, head.stack, 0, AttentionKind::self, 1};
    ASSERT_GT(found.query, 0);
    EXPECT_EQ(found.value, static_cast<double>((*trace)->number(weights, found.query, found.query - 1)));
    for (int row = 1; row < (*trace)->n_tokens(); ++row)
      EXPECT_LE((*trace)->number(weights, row, row - 1), static_cast<float>(found.value));
  }
}

TEST(Search, LinesAreNumberedAsInTheFile) {
  const auto lines = lines_to_search("one\r\n\n  \ntwo words\nlast");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].text, "one");
  EXPECT_EQ(lines[1].number, 3);
  EXPECT_EQ(lines[2].text, "last");
  EXPECT_TRUE(lines_to_search("").empty());
}

TEST(Search, Refuses) {
  const Request request = random_request(2);
  const HeadId head{request.architecture.last_stack(), AttentionKind::self, 0, 0};
  const auto lines = lines_to_search("a b c\nb a");
  const auto nothing = search(request, {head}, lines).finish();
  ASSERT_FALSE(nothing.has_value());
  EXPECT_NE(nothing.error().message.find("nothing is sought"), std::string::npos);
  Request two = request;
  two.architecture.stacks = Stacks::encoder_decoder;
  EXPECT_FALSE(search(two, {head, {}, "a", ""}, lines).finish().has_value());
}

TEST(Search, WhatBelongsToTheOwnTextDoesNotCount) {
  Request request = random_request(2);
  request.attention.mask.painted = {{0, 1}};
  request.attention.mask.padding = {1};
  request.interventions.weights = {{{request.architecture.last_stack()}, {0, 0}, 1.0F}};
  request.interventions.heads = {{{request.architecture.last_stack()}, 0.5F, Pattern::own}};
  const Request other = without_own_texts(request);
  EXPECT_FALSE(other.attention.mask.hides_anything());
  EXPECT_TRUE(other.interventions.weights.empty());
  EXPECT_EQ(other.interventions.heads.size(), 1U);
}

}  // namespace
}  // namespace headscope
