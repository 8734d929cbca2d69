// Tests keys and values that are made from a latent row.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/trace/explain.h"
#include "tests/unit/trace/passes.h"

namespace headscope {
namespace {

using testing::pass;
using testing::small_request;

Request latent_request(Positions positions) {
  Request request = small_request();
  request.architecture.kv_latent = 6;
  request.architecture.d_head = 10;
  request.architecture.positions = positions;
  request.architecture.rotary.fraction = 0.4F;
  return request;
}

double dot(const std::vector<double>& a, std::span<const float> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * static_cast<double>(b[i]);
  return sum;
}

/// The product of a query and W_Kᵀ, which is what the query looks for in the latent row itself.
std::vector<double> absorbed(std::span<const float> query, const MatrixView& w_key) {
  std::vector<double> looks_for;
  looks_for.reserve(static_cast<std::size_t>(w_key.rows));
  for (int row = 0; row < w_key.rows; ++row)
    looks_for.push_back(dot({query.begin(), query.end()}, w_key.row(row)));
  return looks_for;
}

TEST(Latent, ScoresNeedNoKeysWhereKeyWeightsAreAbsorbed) {
  Request request = latent_request(Positions::rotary);
  request.architecture.bias.key = false;
  const auto trace = pass(request);
  ASSERT_TRUE(trace);
  constexpr int n_shared = 4;
  const MatrixView latent = trace->value({.kind = StageKind::normed_latent});
  EXPECT_EQ(trace->value({.kind = StageKind::shared_key}).cols, n_shared);
  for (int head = 0; head < 4; ++head) {
    const MatrixView query = trace->value({.kind = StageKind::rotated_query, .head = head});
    const MatrixView key = trace->value({.kind = StageKind::rotated_key, .head = head});
    const MatrixView first_key = trace->value({.kind = StageKind::rotated_key});
    const MatrixView w_key = trace->value({.kind = StageKind::w_key, .head = head});
    const MatrixView raw = trace->value({.kind = StageKind::raw, .head = head});
    ASSERT_EQ(w_key.rows, 6);
    ASSERT_EQ(w_key.cols, 6);
    for (int q = 0; q < raw.rows; ++q) {
      const auto row = query.row(q);
      const std::vector<double> looks_for = absorbed(row.subspan(n_shared), w_key);
      const std::vector<double> turned(row.begin(), row.begin() + n_shared);
      for (int k = 0; k < raw.cols; ++k) {
        const auto shared = key.row(k).first(n_shared);
        EXPECT_TRUE(std::ranges::equal(shared, first_key.row(k).first(n_shared))) << "the same in all heads";
        EXPECT_NEAR(dot(looks_for, latent.row(k)) + dot(turned, shared), raw(q, k), 1e-5);
      }
    }
  }
}

/// DeepSeek-V2 and V3 multiply softmax_scale by m² and leave cosines and sines unchanged.
TEST(Latent, ScoresAreMultipliedByTheSquareOfYarnsFactor) {
  Request request = latent_request(Positions::rotary);
  request.architecture.rotary.scaling = RotaryScaling::yarn;
  request.architecture.rotary.factor = 40.0F;
  const auto yarn = pass(request);
  const double m = 0.1 * std::log(40.0) + 1.0;
  const StageId raw{.kind = StageKind::raw};
  const StageId scaled{.kind = StageKind::scaled};
  const StageId key{.kind = StageKind::key};
  const StageId turned{.kind = StageKind::rotated_key};
  for (int row = 0; row < yarn->n_tokens(); ++row) {
    double before = 0.0;
    double after = 0.0;
    for (int col = 0; col < 4; ++col) {
      before += std::pow(static_cast<double>(yarn->number(key, row, col)), 2.0);
      after += std::pow(static_cast<double>(yarn->number(turned, row, col)), 2.0);
    }
    EXPECT_NEAR(before, after, 1e-4 * before) << "turning lengthens nothing";
    for (int col = 0; col < yarn->n_tokens(); ++col) {
      const double expected = static_cast<double>(yarn->number(raw, row, col)) * m * m / std::sqrt(10.0);
      EXPECT_NEAR(yarn->number(scaled, row, col), expected, 1e-4);
    }
  }
  EXPECT_EQ(formula(*yarn, scaled), "raw · (0.1 ln 40 + 1)² / √10");
  request.attention.scale = false;
  EXPECT_EQ(formula(*pass(request), scaled), "raw · (0.1 ln 40 + 1)² (scaling is off)");
  // Without a latent, m is part of the cosines and sines, and the scale of the scores is the usual one.
  request.attention.scale = true;
  request.architecture.kv_latent.reset();
  EXPECT_EQ(formula(*pass(request), scaled), "raw / √10");
}

TEST(Latent, TheNormsOfLatentsQueriesAndKeysHaveTheModelsEpsilon) {
  Request request = latent_request(Positions::sinusoidal);
  request.architecture.qk_norm = true;
  request.architecture.norm_epsilon = 0.5F;
  const auto trace = pass(request);
  const std::array<std::pair<StageKind, StageKind>, 3> norms{{{StageKind::latent, StageKind::normed_latent},
                                                              {StageKind::query, StageKind::normed_query},
                                                              {StageKind::key, StageKind::normed_key}}};
  for (const auto& [from, to] : norms) {
    const MatrixView x = trace->value({.kind = from});
    const MatrixView normed = trace->value({.kind = to});
    for (int row = 0; row < x.rows; ++row) {
      double squares = 0.0;
      for (const float number : x.row(row)) squares += std::pow(static_cast<double>(number), 2.0);
      const double root = std::sqrt(squares / x.cols + 0.5);
      for (int col = 0; col < x.cols; ++col)
        EXPECT_NEAR(normed(row, col), static_cast<double>(x(row, col)) / root, 1e-5) << info(to).name;
    }
    const auto sheet = explain(*trace, {.kind = to}, 0, 0);
    EXPECT_NE(to_text(*sheet).find("ε = 0.5"), std::string::npos) << to_text(*sheet);
  }
}

TEST(Latent, IsToldInFormulasAndDerivations) {
  const auto plain = pass(latent_request(Positions::sinusoidal));
  EXPECT_EQ(formula(*plain, {.kind = StageKind::key}), "ĉ W_K + b_K");
  EXPECT_EQ(formula(*plain, {.kind = StageKind::value}), "ĉ W_V + b_V");
  EXPECT_EQ(einsum_text(*plain, {.kind = StageKind::key}), "einsum sc,chk->shk");
  EXPECT_EQ(plain->why_absent({.kind = StageKind::shared_key}),
            "heads share no key: this requires a latent of keys and values and rotary positions");
  const auto turned = pass(latent_request(Positions::rotary));
  EXPECT_EQ(formula(*turned, {.kind = StageKind::key}), "[K_R, ĉ W_K + b_K]");
  EXPECT_EQ(einsum_text(*turned, {.kind = StageKind::key}), "");
  const auto own = explain(*turned, {.kind = StageKind::key, .head = 2}, 3, 7);
  ASSERT_TRUE(own);
  EXPECT_NE(to_text(*own).find("encoder.layers.0.self.heads.2.W_K column 3"), std::string::npos)
      << to_text(*own);
  const auto shared = explain(*turned, {.kind = StageKind::key, .head = 2}, 3, 1);
  ASSERT_TRUE(shared);
  EXPECT_NE(to_text(*shared).find("encoder.layers.0.self.shared_key"), std::string::npos) << to_text(*shared);
  EXPECT_EQ(pass(small_request())->why_absent({.kind = StageKind::latent}),
            "keys and values are not made from a latent");
}

TEST(Latent, OfCrossAttentionIsThatOfTheMemory) {
  Request request = latent_request(Positions::rotary);
  request.target = "Das Tier";
  request.architecture.stacks = Stacks::encoder_decoder;
  const auto trace = pass(request);
  ASSERT_TRUE(trace);
  const StageId latent{StageKind::latent, Stack::decoder, 0, AttentionKind::cross};
  EXPECT_EQ(trace->value(latent).rows, trace->n_tokens());
  EXPECT_EQ(formula(*trace, latent), "memory W_DKV");
  EXPECT_FALSE(trace->has({StageKind::shared_key, Stack::decoder, 0, AttentionKind::cross}));
  EXPECT_EQ(trace->extent({StageKind::w_key, Stack::decoder, 0, AttentionKind::cross}).cols, 10);
  EXPECT_EQ(trace->extent({StageKind::w_key, Stack::decoder, 0, AttentionKind::self}).cols, 6);
}

}  // namespace
}  // namespace headscope
