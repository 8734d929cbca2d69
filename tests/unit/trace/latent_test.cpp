// Keys and values that are made from a latent row.
#include <gtest/gtest.h>

#include <algorithm>
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

/// A query times W_Kᵀ: what it looks for in the latent row itself.
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

TEST(Latent, IsToldInFormulasAndDerivations) {
  const auto plain = pass(latent_request(Positions::sinusoidal));
  EXPECT_EQ(formula(*plain, {.kind = StageKind::key}), "ĉ W_K + b_K");
  EXPECT_EQ(formula(*plain, {.kind = StageKind::value}), "ĉ W_V + b_V");
  EXPECT_EQ(einsum_text(*plain, {.kind = StageKind::key}), "einsum sc,chk->shk");
  EXPECT_EQ(plain->absence({.kind = StageKind::shared_key}), Absence::no_shared_key);
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
  EXPECT_EQ(pass(small_request())->absence({.kind = StageKind::latent}), Absence::no_latent);
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
