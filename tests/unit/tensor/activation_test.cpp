#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/tensor/elementwise.h"
#include "core/tensor/random.h"

namespace headscope {
namespace {

std::vector<float> random_numbers(std::size_t n) {
  std::vector<float> numbers(n);
  RandomStream(1, "activation").fill_normal(numbers, 3.0F);
  return numbers;
}

TEST(Relu, LetsOnlyPositiveNumbersThrough) {
  for (const std::size_t n : {0U, 1U, 7U, 16U, 33U, 1000U}) {
    const std::vector<float> x = random_numbers(n);
    std::vector<float> out(n, -1.0F);
    apply(Elementwise::relu, x.data(), n, out.data());
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], x[i] > 0.0F ? x[i] : 0.0F);
  }
}

TEST(Gelu, IsTheExactForm) {
  const std::vector<float> x = random_numbers(10'000);
  std::vector<float> out(x.size());
  apply(Elementwise::gelu, x.data(), x.size(), out.data());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto value = static_cast<double>(x[i]);
    const double expected = 0.5 * value * std::erfc(-value / std::sqrt(2.0));
    ASSERT_NEAR(out[i], expected, 1e-6 * (1.0 + std::abs(value))) << value;
  }
}

/// Compares with PyTorch's nn.GELU(), from which the approximation by tanh differs in the third digit.
TEST(Gelu, GivesPyTorchsNumbers) {
  const std::vector<float> x{-3.0F, -1.0F, 0.0F, 0.5F, 2.0F};
  const std::vector<double> expected{-0.00404969409489031, -0.15865525393145702, 0.0, 0.34573123063700656,
                                     1.9544997361036416};
  std::vector<float> out(x.size());
  apply(Elementwise::gelu, x.data(), x.size(), out.data());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(out[i], expected[i], 2e-7);
}

/// Compares with PyTorch's nn.GELU("tanh") and nn.SiLU().
TEST(Activations, GivePyTorchsNumbers) {
  const std::vector<float> x{-3.0F, -1.0F, 0.0F, 0.5F, 2.0F};
  const std::vector<double> by_tanh{-0.00363739169, -0.15880800939, 0.0, 0.34571401000, 1.95459769379};
  const std::vector<double> by_logistic{-0.14227762, -0.26894142, 0.0, 0.31122967, 1.76159416};
  std::vector<float> out(x.size());
  apply(Elementwise::gelu_tanh, x.data(), x.size(), out.data());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(out[i], by_tanh[i], 5e-7);
  apply(Elementwise::silu, x.data(), x.size(), out.data());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(out[i], by_logistic[i], 2e-7);
}

TEST(Activations, AreTheFormulasForAllNumbers) {
  const std::vector<float> x = random_numbers(10'000);
  std::vector<float> by_tanh(x.size());
  std::vector<float> by_logistic(x.size());
  apply(Elementwise::gelu_tanh, x.data(), x.size(), by_tanh.data());
  apply(Elementwise::silu, x.data(), x.size(), by_logistic.data());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto v = static_cast<double>(x[i]);
    const double u = std::sqrt(2.0 / std::acos(-1.0)) * (v + 0.044715 * v * v * v);
    ASSERT_NEAR(by_tanh[i], 0.5 * v * (1.0 + std::tanh(u)), 1e-6 * (1.0 + std::abs(v))) << v;
    ASSERT_NEAR(by_logistic[i], v / (1.0 + std::exp(-v)), 1e-6 * (1.0 + std::abs(v))) << v;
  }
}

TEST(Activations, BackwardIsTheCentralDifference) {
  for (const Activation kind : {Activation::gelu_tanh, Activation::silu}) {
    for (const double at : {-4.0, -1.3, -0.2, 0.0, 0.4, 1.1, 3.7}) {
      constexpr double step = 1e-5;
      const std::array<double, 2> x{at - step, at + step};
      std::array<double, 2> out{};
      apply(function_of(kind), x.data(), x.size(), out.data());
      const double one = 2.0;
      double slope = 0.0;
      apply(backward_of(function_of(kind)), &at, &one, 1, &slope);
      EXPECT_NEAR(slope, 2.0 * (out[1] - out[0]) / (2.0 * step), 1e-8) << at;
    }
  }
}

TEST(Activations, AreQuietFarFromZero) {
  const std::vector<float> x{-1e30F, 1e30F, -100.0F, 100.0F};
  std::vector<float> out(x.size());
  apply(Elementwise::gelu, x.data(), x.size(), out.data());
  EXPECT_EQ(out, (std::vector<float>{0.0F, 1e30F, 0.0F, 100.0F}));
  for (const Activation kind : {Activation::relu, Activation::gelu_tanh, Activation::silu}) {
    apply(function_of(kind), x.data(), x.size(), out.data());
    EXPECT_EQ(out, (std::vector<float>{0.0F, 1e30F, 0.0F, 100.0F}));
  }
}

}  // namespace
}  // namespace headscope
