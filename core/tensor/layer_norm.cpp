#include "core/tensor/layer_norm.h"

#include <cmath>

namespace headscope {
namespace {

template <class Scalar>
RowMoments<Scalar> row_moments(const Scalar* x, int width) {
  Scalar sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < width; ++i) sum += x[i];
  const Scalar mean = sum / static_cast<Scalar>(width);
  Scalar squares = 0;
#pragma omp simd reduction(+ : squares)
  for (int i = 0; i < width; ++i) squares += (x[i] - mean) * (x[i] - mean);
  const Scalar variance = squares / static_cast<Scalar>(width);
  return {mean, Scalar{1} / std::sqrt(variance + static_cast<Scalar>(layer_norm_epsilon))};
}

template <class Scalar>
RowMoments<Scalar> norm_row(const Scalar* x, int width, const Scalar* gain, const Scalar* bias, Scalar* out) {
  const RowMoments<Scalar> m = row_moments(x, width);
#pragma omp simd
  for (int i = 0; i < width; ++i) out[i] = (x[i] - m.mean) * m.inverse * gain[i] + bias[i];
  return m;
}

}  // namespace

void layer_norm(const MatrixView& x, const float* gain, const float* bias, float* out) {
  for (int r = 0; r < x.rows; ++r) {
    norm_row(x.data + r * x.stride, x.cols, gain, bias, out + static_cast<std::ptrdiff_t>(r) * x.cols);
  }
}

template <class Scalar>
void layer_norm_rows(const Scalar* x, int rows, int width, const Scalar* gain, const Scalar* bias,
                     Scalar* out, RowMoments<Scalar>* moments) {
  for (std::ptrdiff_t r = 0; r < rows; ++r) {
    moments[r] = norm_row(x + r * width, width, gain, bias, out + r * width);
  }
}

// With x̂ = (x − mean) · inverse and g = d_out · gain: d_x = inverse · (g − mean(g) − x̂ · mean(g · x̂)).
template <class Scalar>
void layer_norm_backward(const Scalar* x, const RowMoments<Scalar>* moments, int rows, int width,
                         const Scalar* gain, const Scalar* d_out, Scalar* d_x, Scalar* d_gain,
                         Scalar* d_bias) {
  for (std::ptrdiff_t r = 0; r < rows; ++r) {
    const Scalar* from = x + r * width;
    const Scalar* d = d_out + r * width;
    Scalar* to = d_x + r * width;
    const RowMoments<Scalar> m = moments[r];
    Scalar sum = 0;
    Scalar sum_with_x = 0;
#pragma omp simd reduction(+ : sum, sum_with_x)
    for (int i = 0; i < width; ++i) {
      const Scalar g = d[i] * gain[i];
      sum += g;
      sum_with_x += g * (from[i] - m.mean);
    }
    const Scalar mean_g = sum / static_cast<Scalar>(width);
    const Scalar mean_gx = sum_with_x * m.inverse / static_cast<Scalar>(width);
#pragma omp simd
    for (int i = 0; i < width; ++i) {
      const Scalar normed = (from[i] - m.mean) * m.inverse;
      to[i] += m.inverse * (d[i] * gain[i] - mean_g - normed * mean_gx);
      d_gain[i] += d[i] * normed;
      d_bias[i] += d[i];
    }
  }
}

template void layer_norm_rows(const float*, int, int, const float*, const float*, float*, RowMoments<float>*);
template void layer_norm_rows(const double*, int, int, const double*, const double*, double*,
                              RowMoments<double>*);
template void layer_norm_backward(const float*, const RowMoments<float>*, int, int, const float*,
                                  const float*, float*, float*, float*);
template void layer_norm_backward(const double*, const RowMoments<double>*, int, int, const double*,
                                  const double*, double*, double*, double*);

}  // namespace headscope
