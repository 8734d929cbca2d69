#include "core/tensor/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <vector>

namespace headscope {
namespace {

TEST(RandomStream, BitsAreSplitMix64s) {
  // These are the first numbers of Vigna's reference implementation for the state 1234567.
  RandomStream random(1234567);
  for (const std::uint64_t expected : {6457827717110365317U, 3203168211198807973U, 9817491932198370423U,
                                       4593380528125082431U, 16408922859458223821U}) {
    EXPECT_EQ(random.bits(), expected);
  }
}

TEST(RandomStream, NumbersAreTheSameEverywhere) {
  RandomStream normals(42, "encoder.layers.0.self.heads.0.W_Q");
  RandomStream uniforms(42, "encoder.layers.0.self.heads.0.W_K");
  const std::array expected_normals{-0.840927601F, -1.95144558F,  -0.65698266F,
                                    -1.2728945F,   -0.128120944F, -0.641240299F};
  const std::array expected_uniforms{-0.421211958F, -0.453636676F, 0.693302214F,
                                     0.979169965F,  -0.297377408F, -0.424942315F};
  for (const float expected : expected_normals) EXPECT_EQ(normals.normal(), expected);
  for (const float expected : expected_uniforms) EXPECT_EQ(uniforms.uniform(-1.0F, 1.0F), expected);
}

TEST(RandomStream, EverySeedAndNameHasAStreamOfItsOwn) {
  std::set<std::uint64_t> first;
  int n = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const char* name : {"", "a", "b", "ab", "ba", "W_Q", "W_K", "embedding the"}) {
      RandomStream random(seed, name);
      first.insert(random.bits());
      ++n;
    }
  }
  EXPECT_EQ(first.size(), static_cast<std::size_t>(n));
}

TEST(RandomStream, UniformStaysInsideAndIsEven) {
  RandomStream random(7);
  constexpr int n = 200'000;
  double sum = 0.0;
  double squares = 0.0;
  for (int i = 0; i < n; ++i) {
    const float value = random.uniform(-2.0F, 3.0F);
    ASSERT_GE(value, -2.0F);
    ASSERT_LT(value, 3.0F);
    sum += value;
    squares += value * static_cast<double>(value);
  }
  const double mean = sum / n;
  EXPECT_NEAR(mean, 0.5, 0.015);  // 4.6 standard errors
  EXPECT_NEAR(squares / n - mean * mean, 25.0 / 12.0, 0.02);
}

TEST(RandomStream, UniformStaysBelowItsEndWhereRoundingWouldReachIt) {
  RandomStream random(3);
  const float high = std::nextafterf(1.0F, 2.0F);
  for (int i = 0; i < 1000; ++i) {
    const float value = random.uniform(1.0F, high);
    ASSERT_GE(value, 1.0F);
    ASSERT_LT(value, high);
  }
}

TEST(RandomStream, NormalHasTheMomentsOfTheNormalDistribution) {
  RandomStream random(11, "moments");
  constexpr int n = 400'000;
  std::array<double, 5> moments{};
  int beyond_two = 0;
  for (int i = 0; i < n; ++i) {
    const double value = random.normal();
    ASSERT_TRUE(std::isfinite(value));
    double power = 1.0;
    for (double& moment : moments) {
      moment += power / n;
      power *= value;
    }
    if (std::abs(value) > 2.0) ++beyond_two;
  }
  EXPECT_NEAR(moments[1], 0.0, 0.008);
  EXPECT_NEAR(moments[2], 1.0, 0.012);
  EXPECT_NEAR(moments[3], 0.0, 0.03);
  EXPECT_NEAR(moments[4], 3.0, 0.09);
  EXPECT_NEAR(static_cast<double>(beyond_two) / n, 0.0455003, 0.0017);
}

TEST(RandomStream, FillsAreTheSameDraws) {
  RandomStream filled(5, "x");
  RandomStream drawn(5, "x");
  std::vector<float> values(33);
  filled.fill_normal(values, 0.5F);
  for (const float value : values) EXPECT_EQ(value, drawn.normal() * 0.5F);
  filled.fill_uniform(values, -0.25F, 0.75F);
  for (const float value : values) EXPECT_EQ(value, drawn.uniform(-0.25F, 0.75F));
}

TEST(NormalQuantile, InvertsTheDistributionFunction) {
  for (double p = 1e-15; p < 0.999; p = p < 0.01 ? p * 3.7 : p + 0.0031) {
    const double x = normal_quantile(p);
    EXPECT_NEAR(0.5 * std::erfc(-x / std::sqrt(2.0)) / p, 1.0, 2e-13) << p;
  }
}

TEST(NormalQuantile, KnownValuesAndSymmetry) {
  EXPECT_EQ(normal_quantile(0.5), 0.0);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(normal_quantile(1e-10), -6.361340902404056, 1e-13);
  for (const double p : {0.01, 0.1, 0.25, 0.4}) {
    EXPECT_NEAR(normal_quantile(p), -normal_quantile(1.0 - p), 1e-14);
  }
}

}  // namespace
}  // namespace headscope
