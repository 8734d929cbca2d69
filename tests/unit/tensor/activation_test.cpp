#include "core/tensor/activation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

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
    relu(x.data(), n, out.data());
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], x[i] > 0.0F ? x[i] : 0.0F);
  }
}

TEST(Gelu, IsTheExactForm) {
  const std::vector<float> x = random_numbers(10'000);
  std::vector<float> out(x.size());
  gelu(x.data(), x.size(), out.data());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto value = static_cast<double>(x[i]);
    const double expected = 0.5 * value * std::erfc(-value / std::sqrt(2.0));
    ASSERT_NEAR(out[i], expected, 1e-6 * (1.0 + std::abs(value))) << value;
  }
}

/// Of PyTorch's nn.GELU(): the approximation by tanh differs from the third digit on.
TEST(Gelu, GivesPyTorchsNumbers) {
  const std::vector<float> x{-3.0F, -1.0F, 0.0F, 0.5F, 2.0F};
  const std::vector<double> expected{-0.00404969409489031, -0.15865525393145702, 0.0, 0.34573123063700656,
                                     1.9544997361036416};
  std::vector<float> out(x.size());
  gelu(x.data(), x.size(), out.data());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(out[i], expected[i], 2e-7);
}

TEST(Activations, AreQuietFarFromZero) {
  const std::vector<float> x{-1e30F, 1e30F, -100.0F, 100.0F};
  std::vector<float> out(x.size());
  gelu(x.data(), x.size(), out.data());
  EXPECT_EQ(out, (std::vector<float>{0.0F, 1e30F, 0.0F, 100.0F}));
  relu(x.data(), x.size(), out.data());
  EXPECT_EQ(out, (std::vector<float>{0.0F, 1e30F, 0.0F, 100.0F}));
}

}  // namespace
}  // namespace headscope
