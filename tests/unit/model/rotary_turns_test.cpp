#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <nlohmann/json.hpp>
#include <numbers>

#include "core/model/positions.h"
#include "core/model/rotary.h"
#include "core/tensor/matrix.h"
#include "core/tensor/random.h"
#include "tests/unit/stored_npz.h"

namespace headscope {
namespace {

TEST(RotaryFrequencies, AnglesAreTheFormula) {
  const RotaryFrequencies of_8 = rotary_frequencies({}, 8);
  EXPECT_EQ(of_8.angle(0, 3), 0.0);
  EXPECT_EQ(of_8.angle(5, 0), 5.0);
  EXPECT_NEAR(of_8.angle(5, 1), 5.0 / 10.0, 1e-12);
  EXPECT_NEAR(of_8.angle(7, 3), 7.0 / 1000.0, 1e-12);
  EXPECT_NEAR(rotary_frequencies({}, 4).angle(3, 1), 3.0 / 100.0, 1e-12);
  Rotary large;
  large.base = 500000.0F;
  EXPECT_NEAR(rotary_frequencies(large, 8).angle(2, 2), 2.0 / std::sqrt(500000.0), 1e-12);
}

TEST(RotaryFrequencies, EveryDimensionIsInOnePairOrStays) {
  for (const RotaryPairing pairing : {RotaryPairing::interleaved, RotaryPairing::halves}) {
    for (const float fraction : {1.0F, 0.5F, 0.25F, 0.3F}) {
      for (int d_head = 1; d_head <= 40; ++d_head) {
        Rotary rotary;
        rotary.pairing = pairing;
        rotary.fraction = fraction;
        const RotaryFrequencies turns = rotary_frequencies(rotary, d_head);
        EXPECT_EQ(2 * turns.n_pairs(), rotated_width(rotary, d_head));
        std::vector<int> seen(static_cast<std::size_t>(d_head), 0);
        for (int pair = 0; pair < turns.n_pairs(); ++pair) {
          for (const int dimension : turns.dimensions(pair)) {
            ++seen[static_cast<std::size_t>(dimension)];
            EXPECT_EQ(turns.pair_of(dimension), pair);
          }
        }
        for (int i = 0; i < d_head; ++i)
          EXPECT_EQ(seen[static_cast<std::size_t>(i)], turns.pair_of(i) < 0 ? 0 : 1);
      }
    }
  }
  Rotary third;
  third.fraction = 0.3F;
  EXPECT_EQ(rotated_width(third, 20), 6) << "0.3 of 20 are 6, although 0.3 is less in a float";
}

TEST(RotaryFrequencies, RotateTurnsEveryPairOfEveryHeadByItsAngle) {
  constexpr int n_tokens = 9;
  constexpr int n_heads = 3;
  constexpr int d_head = 10;
  constexpr int width = n_heads * d_head;
  RandomStream random(5);
  Matrix wide(n_tokens, width + 4);  // The rows are parts of wider ones.
  random.fill_normal({wide.data(), static_cast<std::size_t>(wide.size())}, 1.0F);
  const MatrixView in = view_of(wide).block(0, 2, n_tokens, width);
  for (const float fraction : {1.0F, 0.6F}) {
    for (const RotaryPairing pairing : {RotaryPairing::interleaved, RotaryPairing::halves}) {
      Rotary rotary;
      rotary.fraction = fraction;
      rotary.pairing = pairing;
      const RotaryFrequencies turns = rotary_frequencies(rotary, d_head);
      Matrix out(n_tokens, width);
      rotate(in, d_head, turns, 0, out.data());
      for (int t = 0; t < n_tokens; ++t) {
        for (int first = 0; first < width; first += d_head) {
          for (int pair = 0; pair < turns.n_pairs(); ++pair) {
            const auto [one, other] = turns.dimensions(pair);
            const std::complex<double> numbers(in(t, first + one), in(t, first + other));
            const auto turned = numbers * std::polar(1.0, turns.angle(t, pair));
            ASSERT_NEAR(out(t, first + one), turned.real(), 1e-6);
            ASSERT_NEAR(out(t, first + other), turned.imag(), 1e-6);
          }
          for (int rest = 2 * turns.n_pairs(); rest < d_head; ++rest)
            ASSERT_EQ(out(t, first + rest), in(t, first + rest));
        }
      }
    }
  }
}

Rotary scaled(RotaryScaling scaling, float factor) {
  Rotary rotary;
  rotary.scaling = scaling;
  rotary.factor = factor;
  return rotary;
}

TEST(RotaryFrequencies, ScalingByOneChangesNothing) {
  const RotaryFrequencies plain = rotary_frequencies({}, 64);
  for (const RotaryScaling scaling : {RotaryScaling::linear, RotaryScaling::ntk, RotaryScaling::yarn}) {
    const RotaryFrequencies same = rotary_frequencies(scaled(scaling, 1.0F), 64);
    EXPECT_EQ(same.amplitude, 1.0);
    for (int pair = 0; pair < 32; ++pair) EXPECT_NEAR(same.angle(1, pair), plain.angle(1, pair), 1e-15);
  }
}

TEST(RotaryFrequencies, LinearSlowsAllPairsAndNtkTheLastOne) {
  const RotaryFrequencies plain = rotary_frequencies({}, 64);
  const RotaryFrequencies linear = rotary_frequencies(scaled(RotaryScaling::linear, 8.0F), 64);
  const RotaryFrequencies ntk = rotary_frequencies(scaled(RotaryScaling::ntk, 8.0F), 64);
  for (int pair = 0; pair < 32; ++pair) EXPECT_NEAR(linear.angle(8, pair), plain.angle(1, pair), 1e-15);
  EXPECT_EQ(ntk.angle(1, 0), 1.0);
  EXPECT_NEAR(ntk.angle(8, 31), plain.angle(1, 31), 1e-12) << "the slowest is slowed by the whole factor";
  for (int pair = 1; pair < 31; ++pair) {
    EXPECT_LT(ntk.angle(1, pair), plain.angle(1, pair));
    EXPECT_GT(ntk.angle(8, pair), plain.angle(1, pair));
  }
}

TEST(RotaryFrequencies, YarnKeepsFastPairsAndInterpolatesSlowOnes) {
  constexpr int width = 128;
  Rotary rotary = scaled(RotaryScaling::yarn, 16.0F);
  rotary.original_length = 2048;
  const RotaryFrequencies plain = rotary_frequencies({}, width);
  const RotaryFrequencies yarn = rotary_frequencies(rotary, width);
  EXPECT_NEAR(yarn.amplitude, 0.1 * std::log(16.0) + 1.0, 1e-12);
  // With a latent, the amplitude multiplies all scores, once for the query and once for the key.
  constexpr bool has_latent = true;
  EXPECT_EQ(rotary_frequencies(rotary, width, has_latent).amplitude, 1.0);
  EXPECT_EQ(rotary_frequencies(rotary, width, has_latent).frequencies, yarn.frequencies);
  EXPECT_NEAR(score_amplitude(rotary), yarn.amplitude * yarn.amplitude, 1e-12);
  EXPECT_EQ(score_amplitude(scaled(RotaryScaling::linear, 16.0F)), 1.0);
  double before = -1.0;
  for (int pair = 0; pair < width / 2; ++pair) {
    const double share = yarn_share(rotary, width, pair);
    EXPECT_GE(share, before);
    before = share;
    const double times = rotary.original_length * plain.angle(1, pair) / (2.0 * std::numbers::pi);
    // The authors round the bounds to whole pairs, so one pair on either side may differ.
    const bool is_fast = times > 32.0 * 1.2;
    const bool is_slow = times < 1.0 / 1.2;
    EXPECT_TRUE(!is_fast || share == 0.0) << pair;
    EXPECT_TRUE(!is_slow || share == 1.0) << pair;
    EXPECT_NEAR(yarn.angle(1, pair), plain.angle(1, pair) * (share / 16.0 + 1.0 - share), 1e-15);
  }
  EXPECT_EQ(before, 1.0);
}

/// Cases of ONNX's RotaryEmbedding. Their caches are random numbers, so they test the rotation of a row
/// alone.
TEST(OnnxRotary, EveryCaseIsTurnedAsPublished) {
  const std::filesystem::path folder =
      std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "../shared/reference/onnx-rotary";
  if (!std::filesystem::exists(folder / "index.json")) GTEST_SKIP() << "no reference data at " << folder;
  const auto index = read_file(folder / "index.json", std::size_t{1} << 20U);
  ASSERT_TRUE(index);
  int n_cases = 0;
  for (const auto& entry : nlohmann::json::parse(*index)) {
    const std::string name = entry.at("name");
    const auto arrays = stored_npz(folder / (name + ".npz"));
    const NpyArray& input = arrays.at("input");
    const NpyArray& cosines = arrays.at("cos_cache");
    const NpyArray& sines = arrays.at("sin_cache");
    const std::vector<float>& expected = arrays.at("output").values;
    const auto& attributes = entry.at("attributes");
    const bool is_3d = input.shape.size() == 3;
    const int n_batch = input.shape[0];
    const int n_tokens = is_3d ? input.shape[1] : input.shape[2];
    const int n_heads = is_3d ? attributes.at("num_heads").get<int>() : input.shape[1];
    const int d_head = is_3d ? input.shape[2] / n_heads : input.shape[3];
    RotaryFrequencies turns;
    if (attributes.value("interleaved", 0) == 0) turns.pairing = RotaryPairing::halves;
    const auto n_pairs = static_cast<std::size_t>(cosines.shape.back());
    turns.frequencies.resize(n_pairs);
    std::vector<float> out(static_cast<std::size_t>(d_head));
    for (int b = 0; b < n_batch; ++b) {
      for (int h = 0; h < n_heads; ++h) {
        for (int t = 0; t < n_tokens; ++t) {
          const auto token = static_cast<std::size_t>(b * n_tokens + t);
          const std::size_t row =
              arrays.contains("position_ids")
                  ? static_cast<std::size_t>(arrays.at("position_ids").values[token]) * n_pairs
                  : token * n_pairs;
          const int place = is_3d ? (b * n_tokens + t) * n_heads + h : (b * n_heads + h) * n_tokens + t;
          const auto at = static_cast<std::size_t>(place) * static_cast<std::size_t>(d_head);
          rotate_row(input.values.data() + at, 1, d_head, turns,
                     std::span(cosines.values).subspan(row, n_pairs),
                     std::span(sines.values).subspan(row, n_pairs), out.data());
          for (std::size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(out[i], expected[at + i], 1e-5) << name;
        }
      }
    }
    ++n_cases;
  }
  EXPECT_EQ(n_cases, 5);
}

}  // namespace
}  // namespace headscope
