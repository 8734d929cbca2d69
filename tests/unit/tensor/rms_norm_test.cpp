#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/tensor/norm.h"
#include "core/tensor/random.h"
#include "core/tensor/view.h"

namespace headscope {
namespace {

template <class Scalar>
std::vector<Scalar> drawn(int n, std::uint64_t seed) {
  std::vector<float> numbers(static_cast<std::size_t>(n));
  RandomStream(seed, "rms").fill_normal(numbers, 2.0F);
  return {numbers.begin(), numbers.end()};
}

double expected(const MatrixView& x, int row, int col, float gain, double epsilon) {
  double squares = 0.0;
  for (const float number : x.row(row)) squares += static_cast<double>(number) * static_cast<double>(number);
  return static_cast<double>(x(row, col)) / std::sqrt(squares / x.cols + epsilon) * static_cast<double>(gain);
}

TEST(RmsNorm, IsTheFormulaForEveryWidthAndEpsilon) {
  for (const int width : {1, 2, 8, 15, 16, 17, 64, 513}) {
    for (const float epsilon : {1e-6F, 1e-5F, 0.5F}) {
      constexpr int n_rows = 4;
      const auto x = drawn<float>(n_rows * width, 1);
      const auto gain = drawn<float>(width, 2);
      const MatrixView in{x.data(), n_rows, width, width};
      std::vector<float> out(static_cast<std::size_t>(n_rows * width));
      norm_rows(x.data(), n_rows, width, gain.data(), nullptr, epsilon, out.data());
      for (int row = 0; row < n_rows; ++row) {
        for (int col = 0; col < width; ++col) {
          ASSERT_NEAR(out[static_cast<std::size_t>(row * width + col)],
                      expected(in, row, col, gain[static_cast<std::size_t>(col)], epsilon), 2e-5)
              << width;
        }
      }
    }
  }
}

TEST(RmsNorm, MayWriteOverItsInputAndOfZerosIsZero) {
  constexpr int width = 24;
  auto x = drawn<float>(3 * width, 4);
  std::fill_n(x.begin(), width, 0.0F);
  const auto gain = drawn<float>(width, 5);
  std::vector<float> out(x.size());
  norm_rows(x.data(), 3, width, gain.data(), nullptr, 1e-5F, out.data());
  norm_rows(x.data(), 3, width, gain.data(), nullptr, 1e-5F, x.data());
  EXPECT_EQ(x, out);
  for (int i = 0; i < width; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], 0.0F);
}

TEST(RmsNorm, BackwardIsTheCentralDifference) {
  for (const int width : {1, 3, 16, 21}) {
    constexpr int n_rows = 3;
    constexpr double epsilon = 1e-3;
    auto x = drawn<double>(n_rows * width, 6);
    auto gain = drawn<double>(width, 7);
    const auto d_out = drawn<double>(n_rows * width, 8);
    std::vector<double> out(x.size());
    std::vector<RowMoments<double>> moments(n_rows);
    const auto loss = [&] {
      norm_rows(x.data(), n_rows, width, gain.data(), nullptr, epsilon, out.data(), moments.data());
      double sum = 0.0;
      for (std::size_t i = 0; i < out.size(); ++i) sum += out[i] * d_out[i];
      return sum;
    };
    loss();
    std::vector<double> d_x(x.size(), 1.0);
    std::vector<double> d_gain(gain.size(), 2.0);
    norm_rows_backward(x.data(), moments.data(), n_rows, width, gain.data(), d_out.data(), d_x.data(),
                       d_gain.data(), nullptr);
    const auto difference = [&](double& number) {
      constexpr double step = 1e-5;
      const double kept = number;
      number = kept + step;
      const double above = loss();
      number = kept - step;
      const double below = loss();
      number = kept;
      return (above - below) / (2.0 * step);
    };
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(d_x[i] - 1.0, difference(x[i]), 1e-6) << width;
    for (std::size_t i = 0; i < gain.size(); ++i) ASSERT_NEAR(d_gain[i] - 2.0, difference(gain[i]), 1e-6);
  }
}

}  // namespace
}  // namespace headscope
