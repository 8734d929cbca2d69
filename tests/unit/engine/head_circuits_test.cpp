// Compares the circuits of heads with the scores and parts of passes, and with plain products.
#include "core/engine/head_circuits.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "core/engine/part_effects.h"
#include "tests/unit/engine/transformers.h"

namespace headscope {
namespace {

constexpr StageId logits{StageKind::logits};

/// A random model of one layer whose heads read nothing but the embeddings, perhaps after a norm.
Request one_layer(std::uint64_t seed) {
  Request request = predicting_transformer(seed);
  Architecture& a = request.architecture;
  a.n_layers = 1;
  a.positions = Positions::none;
  a.norm = seed % 2 == 0 ? Norm::none : Norm::pre;
  a.block = Block::sequential;
  a.residual = true;
  a.qk_norm = a.output_gate = a.sinks = false;
  a.softcap = a.logit_softcap = 0.0F;
  a.kv_latent.reset();
  a.bias = {seed % 3 == 0, seed % 5 == 0, false, false, false};
  a.gated = false;
  a.scales_embedding = seed % 4 == 1;
  request.attention.temperature = seed % 5 == 0 ? 1.6F : 1.0F;
  request.attention.scale = seed % 7 != 3;
  return request;
}

TEST(HeadCircuits, OfAModelThatReadsEmbeddingsAloneAreItsScoresAndParts) {
  Engine engine;
  int n_scores = 0;
  int n_words = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    const Request request = one_layer(seed);
    const SharedTrace trace = computed(engine, request);
    ASSERT_TRUE(trace);
    const Architecture& a = trace->architecture();
    const int row = trace->extent(logits).rows - 1;
    for (const HeadId& head : heads_of(a)) {
      const HeadCircuits found = head_circuits(*trace, head, row).finish();
      ASSERT_EQ(found.absent_qk, "");
      // What cross-attention reads has already passed through the layers below.
      if (a.has_cross() && head.stack == Stack::decoder) continue;
      const MatrixView scaled = trace->value(stage_in(head, StageKind::scaled));
      for (int q = 0; q < found.scores.rows; ++q)
        for (int k = 0; k < found.scores.cols; ++k, ++n_scores)
          ASSERT_NEAR(found.scores.at(q, k), scaled(q, k), 1e-4F * (1.0F + std::fabs(scaled(q, k))));
      if (!found.absent_ov.empty()) continue;
      const int n = trace->extent(logits).cols;
      const MatrixView weights = trace->value(stage_in(head, StageKind::weights));
      for (std::size_t key = 0; key < found.written.size(); ++key) {
        const auto weight = static_cast<double>(weights(row, static_cast<int>(key)));
        if (weight < 1e-3) continue;
        std::vector<std::pair<double, int>> all;
        for (int word = 0; word < n; ++word)
          all.emplace_back(direct_sources(*trace, {row, word}, head)[key] / weight, word);
        std::ranges::sort(all);
        const WrittenWords& words = found.written[key];
        for (std::size_t i = 0; i < words.promoted.size(); ++i, ++n_words)
          EXPECT_NEAR(words.promoted[i].second, all[all.size() - 1 - i].first,
                      2e-3 * (1.0 + std::fabs(all.back().first)));
        for (std::size_t i = 0; i < words.suppressed.size(); ++i)
          EXPECT_NEAR(words.suppressed[i].second, all[i].first, 2e-3 * (1.0 + std::fabs(all.front().first)));
      }
    }
  }
  EXPECT_GT(n_scores, 1000);
  EXPECT_GT(n_words, 100);
}

/// With rotary positions, a score with the token itself is that of no positions.
TEST(HeadCircuits, WithRotaryPositionsAreThoseOfTheSamePlace) {
  Engine engine;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Request request = one_layer(seed);
    request.architecture.stacks = Stacks::decoder;
    request.architecture.positions = Positions::rotary;
    request.architecture.d_model = 8 * request.architecture.n_heads;
    request.architecture.rotary.fraction = 1.0F;
    const SharedTrace trace = computed(engine, request);
    ASSERT_TRUE(trace);
    for (const HeadId& head : heads_of(trace->architecture())) {
      const HeadCircuits found = head_circuits(*trace, head, 0).finish();
      const MatrixView scaled = trace->value(stage_in(head, StageKind::scaled));
      for (int token = 0; token < found.scores.rows; ++token)
        EXPECT_NEAR(found.scores.at(token, token), scaled(token, token),
                    1e-4F * (1.0F + std::fabs(scaled(token, token))));
    }
  }
}

TEST(HeadCircuits, SayWhyTheyAreMissing) {
  Engine engine;
  Request request = one_layer(0);
  request.architecture.stacks = Stacks::encoder;
  request.architecture.qk_norm = true;
  request.architecture.output_gate = true;
  const HeadCircuits found = head_circuits(*computed(engine, request), {Stack::encoder}, 0).finish();
  EXPECT_NE(found.absent_qk.find("normalised"), std::string::npos);
  EXPECT_NE(found.absent_ov.find("gate"), std::string::npos);
  EXPECT_EQ(found.scores.rows, 0);
  EXPECT_TRUE(found.written.empty());
}

/// The small factors must have the singular values of the whole products.
TEST(HeadCircuits, HaveTheSingularValuesOfTheirProducts) {
  Engine engine;
  int n = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Request request = one_layer(seed);
    const SharedTrace trace = computed(engine, request);
    ASSERT_TRUE(trace);
    const Architecture& a = trace->architecture();
    for (const HeadId& head : heads_of(a)) {
      const HeadCircuits found = head_circuits(*trace, head, 0).finish();
      const auto parameter = [&](StageKind kind) -> Eigen::MatrixXd {
        return eigen(trace->value(canonical(a, stage_in(head, kind)))).cast<double>();
      };
      const auto expect = [&](const std::vector<double>& values, const Eigen::MatrixXd& whole) {
        const Eigen::VectorXd expected = Eigen::JacobiSVD<Eigen::MatrixXd>(whole).singularValues();
        EXPECT_LE(values.size(), static_cast<std::size_t>(expected.size()));
        for (Eigen::Index i = 0; i < expected.size(); ++i, ++n) {
          const auto at = static_cast<std::size_t>(i);
          EXPECT_NEAR(at < values.size() ? values[at] : 0.0, expected[i], 1e-10 * (1.0 + expected[0]));
        }
      };
      expect(found.qk_singular, parameter(StageKind::w_query) * parameter(StageKind::w_key).transpose());
      const int width = a.value_width(no_layer);
      if (found.absent_ov.empty() && a.output_projection)
        expect(found.ov_singular, parameter(StageKind::w_value) *
                                      parameter(StageKind::w_output).middleRows(head.head * width, width));
    }
  }
  EXPECT_GT(n, 500);
}

}  // namespace
}  // namespace headscope
