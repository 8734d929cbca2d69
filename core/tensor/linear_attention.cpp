#include "core/tensor/linear_attention.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/tensor/linear_attention.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/tensor/row_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace headscope::HWY_NAMESPACE {
namespace {

/// Computes both branches. exponential() accepts only x ≤ 0, so it gets 0 in place of positive numbers.
template <class Scalar>
void map_all(const Scalar* x, std::size_t n, Scalar* out) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    const Scalar e = exponential(x[i] > Scalar{0} ? Scalar{0} : x[i]);
    out[i] = x[i] > Scalar{0} ? x[i] + Scalar{1} : e;
  }
}

template <class Scalar>
void map_back(const Scalar* mapped, std::size_t n, Scalar* d) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) d[i] *= mapped[i] < Scalar{1} ? mapped[i] : Scalar{1};
}

void share_row(const float* scores, int n, float* weights) {
  const float sum = sum_of<float>(n, [=](int i) HWY_ATTR {
    weights[i] = scores[i] < 0.0F ? 0.0F : scores[i];
    return weights[i];
  });
  if (sum == 0.0F) return;
    // Divides, because the inverse of a subnormal sum would be infinite.
#pragma omp simd
  for (int i = 0; i < n; ++i) weights[i] /= sum;
}

void map_floats(const float* x, std::size_t n, float* out) {
  map_all(x, n, out);
}
void map_floats_back(const float* mapped, std::size_t n, float* d) {
  map_back(mapped, n, d);
}
void normalize_rows(const ScoreBlock& block) {
  for (int row = 0; row < block.rows; ++row) {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(row) * block.cols;
    share_row(block.masked + at, block.cols, block.weights + at);
  }
}

}  // namespace
}  // namespace headscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {
namespace {

HWY_EXPORT(map_floats);
HWY_EXPORT(map_floats_back);
HWY_EXPORT(normalize_rows);

}  // namespace

void elu_plus_one(const float* x, std::size_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(map_floats)(x, n, out);
}

void elu_plus_one(const double* x, std::size_t n, double* out) {
  HWY_STATIC_DISPATCH(map_all)(x, n, out);
}

void elu_plus_one_backward(const float* mapped, std::size_t n, float* d) {
  HWY_DYNAMIC_DISPATCH(map_floats_back)(mapped, n, d);
}

void elu_plus_one_backward(const double* mapped, std::size_t n, double* d) {
  HWY_STATIC_DISPATCH(map_back)(mapped, n, d);
}

void normalize_over_keys(const ScoreBlock& block) {
  HWY_DYNAMIC_DISPATCH(normalize_rows)(block);
}

}  // namespace headscope
#endif
