#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/tensor/norm.h"
#include "core/tensor/random.h"
#include "core/tensor/view.h"

namespace headscope {
namespace {

std::vector<float> random_numbers(int n, float deviation, std::uint64_t seed) {
  std::vector<float> numbers(static_cast<std::size_t>(n));
  RandomStream(seed, "norm").fill_normal(numbers, deviation);
  return numbers;
}

/// One number of the result, in double precision.
double expected(std::span<const float> row, int col, float gain, float bias) {
  double mean = 0.0;
  for (const float x : row) mean += static_cast<double>(x) / static_cast<double>(row.size());
  double variance = 0.0;
  for (const float x : row) {
    const double offset = static_cast<double>(x) - mean;
    variance += offset * offset / static_cast<double>(row.size());
  }
  const double unit =
      (static_cast<double>(row[static_cast<std::size_t>(col)]) - mean) / std::sqrt(variance + 1e-5);
  return unit * static_cast<double>(gain) + static_cast<double>(bias);
}

TEST(LayerNorm, IsTheFormulaForEveryWidth) {
  for (const int width : {1, 2, 8, 15, 16, 17, 64, 513}) {
    constexpr int n_rows = 5;
    const auto x = random_numbers(n_rows * width, 3.0F, 1);
    const auto gain = random_numbers(width, 1.0F, 2);
    const auto bias = random_numbers(width, 1.0F, 3);
    const MatrixView in{x.data(), n_rows, width, width};
    std::vector<float> out(static_cast<std::size_t>(n_rows * width));
    norm_rows(x.data(), n_rows, width, gain.data(), bias.data(), 1e-5F, out.data());
    for (int row = 0; row < n_rows; ++row) {
      for (int col = 0; col < width; ++col) {
        const auto i = static_cast<std::size_t>(col);
        ASSERT_NEAR(out[static_cast<std::size_t>(row * width + col)],
                    expected(in.row(row), col, gain[i], bias[i]), 1e-5)
            << width;
      }
    }
  }
}

TEST(LayerNorm, MayWriteOverItsInput) {
  constexpr int width = 24;
  auto x = random_numbers(3 * width, 1.0F, 4);
  const std::vector<float> ones(width, 1.0F);
  const std::vector<float> zeros(width, 0.0F);
  std::vector<float> out(x.size());
  norm_rows(x.data(), 3, width, ones.data(), zeros.data(), 1e-5F, out.data());
  norm_rows(x.data(), 3, width, ones.data(), zeros.data(), 1e-5F, x.data());
  EXPECT_EQ(x, out);
}

TEST(LayerNorm, OfARowOfEqualNumbersIsItsBias) {
  const std::vector<float> x(8, 7.0F);
  const std::vector<float> gain(8, 2.0F);
  const std::vector<float> bias{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<float> out(8);
  norm_rows(x.data(), 1, 8, gain.data(), bias.data(), 1e-5F, out.data());
  EXPECT_EQ(out, bias) << "ε keeps it from dividing by 0";
}

TEST(LayerNorm, KeepsItsDigitsFarFromZero) {
  constexpr int width = 64;
  auto x = random_numbers(width, 1.0F, 5);
  for (float& value : x) value = std::round(value * 16.0F) / 16.0F + 4096.0F;
  const std::vector<float> ones(width, 1.0F);
  const std::vector<float> zeros(width, 0.0F);
  std::vector<float> out(width);
  norm_rows(x.data(), 1, width, ones.data(), zeros.data(), 1e-5F, out.data());
  for (int col = 0; col < width; ++col) {
    EXPECT_NEAR(out[static_cast<std::size_t>(col)], expected(x, col, 1.0F, 0.0F), 2e-3);
  }
}

}  // namespace
}  // namespace headscope
