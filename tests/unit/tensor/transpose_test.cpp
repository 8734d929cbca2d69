#include "core/tensor/transpose.h"

#include <gtest/gtest.h>

#include <vector>

namespace headscope {
namespace {

template <class Scalar>
void expect_transposed(int rows, int cols) {
  const int from_stride = cols + 2;
  const int to_stride = rows + 3;
  std::vector<Scalar> from(static_cast<std::size_t>(rows * from_stride));
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<Scalar>(i + 1);
  std::vector<Scalar> to(static_cast<std::size_t>(cols * to_stride), Scalar{-1});
  transpose(from.data(), from_stride, rows, cols, to.data(), to_stride);
  for (int col = 0; col < cols; ++col) {
    for (int row = 0; row < to_stride; ++row) {
      const auto at = static_cast<std::size_t>(col * to_stride + row);
      const auto source = static_cast<std::size_t>(row * from_stride + col);
      ASSERT_EQ(to[at], row < rows ? from[source] : Scalar{-1}) << rows << " × " << cols;
    }
  }
}

TEST(Transpose, OfEverySizeWritesNothingBeside) {
  for (int rows = 1; rows <= 13; ++rows) {
    for (int cols = 1; cols <= 13; ++cols) {
      expect_transposed<float>(rows, cols);
      expect_transposed<double>(rows, cols);
    }
  }
}

}  // namespace
}  // namespace headscope
