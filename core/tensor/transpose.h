#pragma once

#include <cstddef>
#include <cstring>

namespace headscope {

/// A vector of four numbers (a GCC and Clang extension).
template <class Scalar>
struct FourNumbers;
template <>
struct FourNumbers<float> {
  using type = float __attribute__((vector_size(4 * sizeof(float))));
};
template <>
struct FourNumbers<double> {
  using type = double __attribute__((vector_size(4 * sizeof(double))));
};

/// to [cols, rows] = fromᵀ for from [rows, cols]. Strides are in numbers. Scalar is float or double.
/// Transposes 4 × 4 blocks in registers, because scattered stores of single numbers are many times slower.
template <class Scalar>
void transpose(const Scalar* from, std::ptrdiff_t from_stride, int rows, int cols, Scalar* to,
               std::ptrdiff_t to_stride) {
  using Four = typename FourNumbers<Scalar>::type;
  int r = 0;
  for (; r + 4 <= rows; r += 4) {
    const Scalar* corner = from + r * from_stride;
    int c = 0;
    for (; c + 4 <= cols; c += 4) {
      Four a;
      Four b;
      Four d;
      Four e;
      std::memcpy(&a, corner + c, sizeof(Four));
      std::memcpy(&b, corner + from_stride + c, sizeof(Four));
      std::memcpy(&d, corner + 2 * from_stride + c, sizeof(Four));
      std::memcpy(&e, corner + 3 * from_stride + c, sizeof(Four));
      const Four ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
      const Four ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
      const Four de_low = __builtin_shufflevector(d, e, 0, 4, 1, 5);
      const Four de_high = __builtin_shufflevector(d, e, 2, 6, 3, 7);
      const Four columns[4] = {__builtin_shufflevector(ab_low, de_low, 0, 1, 4, 5),
                               __builtin_shufflevector(ab_low, de_low, 2, 3, 6, 7),
                               __builtin_shufflevector(ab_high, de_high, 0, 1, 4, 5),
                               __builtin_shufflevector(ab_high, de_high, 2, 3, 6, 7)};
      for (int i = 0; i < 4; ++i) std::memcpy(to + (c + i) * to_stride + r, &columns[i], sizeof(Four));
    }
    for (; c < cols; ++c) {
      for (int i = 0; i < 4; ++i) to[c * to_stride + r + i] = corner[i * from_stride + c];
    }
  }
  for (; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) to[c * to_stride + r] = from[r * from_stride + c];
  }
}

}  // namespace headscope
