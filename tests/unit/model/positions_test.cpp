#include "core/model/positions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/tensor/random.h"
#include "tests/unit/model/with_positions.h"

namespace headscope {
namespace {

TEST(SinusoidalPositions, AreTheFormula) {
  for (const int width : {8, 9, 64}) {
    Matrix positions(50, width);
    wave_positions(with_positions(Positions::sinusoidal), positions);
    for (int p = 0; p < 50; ++p) {
      for (int dim = 0; dim < width; ++dim) {
        const double angle = p / std::pow(10000.0, 2.0 * (dim / 2) / width);
        const double expected = dim % 2 == 0 ? std::sin(angle) : std::cos(angle);
        ASSERT_NEAR(positions(p, dim), expected, 1e-6) << p << ", " << dim;
      }
    }
  }
}

/// As in Tensor2Tensor: wavelengths from 2π to 10000 · 2π in a geometric progression, sines first.
TEST(SplitPositions, AreTheFormula) {
  for (const int width : {2, 8, 9, 64}) {
    const int half = (width + 1) / 2;
    const double step = half > 1 ? std::log(10000.0) / (half - 1) : 0.0;
    Matrix positions(50, width);
    wave_positions(with_positions(Positions::split), positions);
    for (int p = 0; p < 50; ++p) {
      for (int dim = 0; dim < width; ++dim) {
        const double angle = p * std::exp(-step * (dim % half));
        const double expected = dim < half ? std::sin(angle) : std::cos(angle);
        ASSERT_NEAR(positions(p, dim), expected, 1e-6) << p << ", " << dim << " of " << width;
      }
    }
  }
}

TEST(PositionWave, IsWhatTheTableWasFilledWith) {
  for (const Positions kind : {Positions::sinusoidal, Positions::split}) {
    Matrix positions(7, 10);
    wave_positions(with_positions(kind), positions);
    for (int dim = 0; dim < 10; ++dim) {
      const PositionWave wave = position_wave(with_positions(kind), dim, 10);
      const double angle = wave.angle(6);
      EXPECT_NEAR(positions(6, dim), wave.is_sine ? std::sin(angle) : std::cos(angle), 1e-6);
    }
  }
}

Architecture of_heads(int n_heads) {
  Architecture a;
  a.n_heads = n_heads;
  return a;
}

TEST(AlibiSlope, OfAPowerOfTwoIsThePapersProgression) {
  for (int head = 0; head < 8; ++head)
    EXPECT_DOUBLE_EQ(alibi_slope(of_heads(8), head), std::pow(0.5, head + 1));
  for (int head = 0; head < 16; ++head)
    EXPECT_DOUBLE_EQ(alibi_slope(of_heads(16), head), std::pow(2.0, -(head + 1) / 2.0));
  EXPECT_DOUBLE_EQ(alibi_slope(of_heads(1), 0), std::pow(2.0, -8.0));
}

TEST(AlibiSlope, OfTwelveHeadsTakesEveryOtherOfSixteen) {
  for (int head = 0; head < 8; ++head)
    EXPECT_DOUBLE_EQ(alibi_slope(of_heads(12), head), alibi_slope(of_heads(8), head));
  for (int head = 8; head < 12; ++head)
    EXPECT_DOUBLE_EQ(alibi_slope(of_heads(12), head), alibi_slope(of_heads(16), 2 * (head - 8)));
}

TEST(DistanceBiases, OfAlibiFallWithTheDistance) {
  Architecture a;
  a.n_heads = 8;
  a.positions = Positions::alibi;
  const std::vector<float> biases = distance_biases(a, {}, Stack::encoder, 1, 4);
  EXPECT_EQ(biases, (std::vector<float>{-0.75F, -0.5F, -0.25F, 0.0F, -0.25F, -0.5F, -0.75F}));
}

TEST(DistanceBiases, OfRelativePositionsAreClipped) {
  Architecture a;
  a.n_heads = 2;
  a.positions = Positions::relative;
  Matrix table(2, 2 * max_relative_distance + 1);
  for (Eigen::Index i = 0; i < table.size(); ++i) table.data()[i] = static_cast<float>(i);
  constexpr int n_tokens = 20;
  const std::vector<float> biases = distance_biases(a, table, Stack::encoder, 1, n_tokens);
  ASSERT_EQ(biases.size(), 2U * n_tokens - 1U);
  for (int distance = -(n_tokens - 1); distance < n_tokens; ++distance) {
    const int clipped = std::clamp(distance, -max_relative_distance, max_relative_distance);
    EXPECT_EQ(biases[static_cast<std::size_t>(distance + n_tokens - 1)],
              table(1, clipped + max_relative_distance));
  }
}

/// Rows from PyTorch, for query − key.
TEST(DisentangledRow, IsThatOfDebertaV2) {
  const Disentangled positions{.buckets = 256, .max_distance = 512};
  for (const auto& [query_after_key, row] :
       {std::pair(0, 256), std::pair(1, 257), std::pair(128, 384), std::pair(131, 387), std::pair(200, 425),
        std::pair(300, 463), std::pair(400, 489), std::pair(509, 511), std::pair(600, 511),
        std::pair(-1, 255), std::pair(-129, 127), std::pair(-300, 49), std::pair(-511, 1),
        std::pair(-600, 0)})
    EXPECT_EQ(disentangled_row(positions, -query_after_key), row) << query_after_key;
  const Disentangled exact{.buckets = 0, .max_distance = 4};
  EXPECT_EQ(disentangled_row(exact, -3), 7);
  EXPECT_EQ(disentangled_row(exact, -4), 7);
  EXPECT_EQ(disentangled_row(exact, 9), 0);
}

TEST(RelativeBuckets, GrowWithTheDistanceOnTheirSide) {
  Architecture a;
  a.positions = Positions::relative;
  for (const int n_buckets : {4, 8, 32, 128}) {
    a.relative_buckets = n_buckets;
    for (const Stack stack : {Stack::encoder, Stack::decoder}) {
      const int n = stack == Stack::decoder ? n_buckets : n_buckets / 2;
      int last = -1;
      for (int far = 0; far < 1000; ++far) {
        const int before = relative_column(a, stack, -far);
        EXPECT_GE(before, last) << far;
        if (far <= n / 2) {
          EXPECT_EQ(before, far) << "a distance of its own, or the first of the next bucket";
        }
        last = before;
        const int after = relative_column(a, stack, far);
        EXPECT_EQ(after, stack == Stack::decoder ? 0 : far == 0 ? 0 : n + before) << far;
      }
      EXPECT_EQ(last, n - 1);
      EXPECT_EQ(relative_column(a, stack, -max_bucket_distance), n - 1);
    }
  }
}

}  // namespace
}  // namespace headscope
