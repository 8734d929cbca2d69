#include "core/tensor/small_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/tensor/random.h"

namespace headscope {
namespace {

/// A random matrix inside a wider one, so that rows do not follow each other.
struct Strided {
  Strided(int rows, int cols, std::uint64_t seed) : stride(cols + 5), values(size(rows, stride)) {
    RandomStream random(seed);
    random.fill_normal(values, 1.0F);
    view = {values.data() + 2, rows, cols, stride};
  }
  static std::size_t size(int rows, int cols) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) + 8;
  }

  int stride;
  std::vector<float> values;
  MatrixView view;
};

/// What the product writes, and that it writes nothing beside.
template <class Multiply, class Exact>
void expect_product(int rows, int depth, int cols, Multiply multiply, Exact exact) {
  const int stride = cols + 3;
  constexpr float untouched = 12345.0F;
  std::vector<float> out(Strided::size(rows, stride), untouched);
  multiply(out.data(), stride);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < stride; ++c) {
      const float value = out[static_cast<std::size_t>(r * stride + c)];
      if (c < cols) {
        ASSERT_NEAR(value, exact(r, c), 1e-5 * (1.0 + std::sqrt(depth))) << r << ", " << c;
      } else {
        ASSERT_EQ(value, untouched) << r << ", " << c;
      }
    }
  }
}

TEST(SmallProduct, IsTheProductForEverySize) {
  for (const int rows : {1, 2, 3, 4, 5, 8, 11, 31, 32}) {
    for (const int depth : {1, 2, 7, 16, 32}) {
      for (const int cols : {1, 3, 7, 8, 9, 16, 25, 32}) {
        ASSERT_TRUE(is_small_product(rows, depth, cols));
        const Strided a(rows, depth, 1);
        const Strided b(depth, cols, 2);
        const Strided b_transposed(cols, depth, 3);
        expect_product(
            rows, depth, cols, [&](float* out, int stride) { small_product(a.view, b.view, out, stride); },
            [&](int r, int c) {
              double sum = 0.0;
              for (int k = 0; k < depth; ++k) sum += static_cast<double>(a.view(r, k)) * b.view(k, c);
              return sum;
            });
        expect_product(
            rows, depth, cols,
            [&](float* out, int stride) {
              small_product_transposed(a.view, b_transposed.view, out, stride);
            },
            [&](int r, int c) {
              double sum = 0.0;
              for (int k = 0; k < depth; ++k) {
                sum += static_cast<double>(a.view(r, k)) * b_transposed.view(c, k);
              }
              return sum;
            });
      }
    }
  }
}

TEST(SmallProduct, LargeSizesAreNotSmall) {
  EXPECT_FALSE(is_small_product(512, 64, 512));
  EXPECT_FALSE(is_small_product(1, 1, 1024));
  EXPECT_FALSE(is_small_product(1, 1024, 1));
}

}  // namespace
}  // namespace headscope
