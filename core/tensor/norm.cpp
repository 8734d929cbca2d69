#include "core/tensor/norm.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/tensor/norm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/tensor/row_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace headscope::HWY_NAMESPACE {
namespace {

template <class Scalar>
HWY_INLINE RowMoments<Scalar> layer_norm_row(const Scalar* x, int width, const Scalar* gain,
                                             const Scalar* bias, Scalar epsilon, Scalar* out) {
  const Scalar mean = row_sum(x, width) / static_cast<Scalar>(width);
  const Scalar squares = sum_of<Scalar>(width, [=](int i) HWY_ATTR { return (x[i] - mean) * (x[i] - mean); });
  const Scalar variance = squares / static_cast<Scalar>(width);
  const Scalar inverse = Scalar{1} / std::sqrt(variance + epsilon);
#pragma omp simd
  for (int i = 0; i < width; ++i) out[i] = (x[i] - mean) * inverse * gain[i] + bias[i];
  return {mean, inverse};
}

template <class Scalar>
HWY_INLINE RowMoments<Scalar> rms_norm_row(const Scalar* x, int width, const Scalar* gain, Scalar epsilon,
                                           Scalar* out) {
  const Scalar squares = sum_of<Scalar>(width, [=](int i) HWY_ATTR { return x[i] * x[i]; });
  const Scalar inverse = Scalar{1} / std::sqrt(squares / static_cast<Scalar>(width) + epsilon);
#pragma omp simd
  for (int i = 0; i < width; ++i) out[i] = x[i] * inverse * gain[i];
  return {Scalar{0}, inverse};
}

template <class Scalar>
HWY_INLINE RowMoments<Scalar> norm_row(const Scalar* x, int width, const Scalar* gain, const Scalar* bias,
                                       Scalar epsilon, Scalar* out) {
  return bias == nullptr ? rms_norm_row(x, width, gain, epsilon, out)
                         : layer_norm_row(x, width, gain, bias, epsilon, out);
}

template <class Scalar>
void norm_all(const Scalar* x, int rows, int width, const Scalar* gain, const Scalar* bias, Scalar epsilon,
              Scalar* out, RowMoments<Scalar>* moments) {
  for (std::ptrdiff_t r = 0; r < rows; ++r) {
    const RowMoments<Scalar> of_row = norm_row(x + r * width, width, gain, bias, epsilon, out + r * width);
    if (moments != nullptr) moments[r] = of_row;
  }
}

// With x̂ = (x − mean) · inverse and g = d_out · gain: d_x = inverse · (g − mean(g) − x̂ · mean(g · x̂)).
template <class Scalar>
HWY_INLINE void layer_norm_row_backward(const Scalar* x, const RowMoments<Scalar>& m, int width,
                                        const Scalar* gain, const Scalar* d, Scalar* d_x, Scalar* d_gain,
                                        Scalar* d_bias) {
  const Scalar mean = m.mean, inverse = m.inverse;
  const Scalar sum = sum_of<Scalar>(width, [=](int i) HWY_ATTR { return d[i] * gain[i]; });
  const Scalar sum_with_x =
      sum_of<Scalar>(width, [=](int i) HWY_ATTR { return d[i] * gain[i] * (x[i] - mean); });
  const Scalar mean_g = sum / static_cast<Scalar>(width);
  const Scalar mean_gx = sum_with_x * inverse / static_cast<Scalar>(width);
#pragma omp simd
  for (int i = 0; i < width; ++i) {
    const Scalar normed = (x[i] - mean) * inverse;
    d_x[i] += inverse * (d[i] * gain[i] - mean_g - normed * mean_gx);
    d_gain[i] += d[i] * normed;
    d_bias[i] += d[i];
  }
}

// With x̂ = x · inverse and g = d_out · gain: d_x = inverse · (g − x̂ · mean(g · x̂)).
template <class Scalar>
HWY_INLINE void rms_norm_row_backward(const Scalar* x, Scalar inverse, int width, const Scalar* gain,
                                      const Scalar* d, Scalar* d_x, Scalar* d_gain) {
  const Scalar sum = sum_of<Scalar>(width, [=](int i) HWY_ATTR { return d[i] * gain[i] * x[i]; });
  const Scalar mean_gx = sum * inverse / static_cast<Scalar>(width);
#pragma omp simd
  for (int i = 0; i < width; ++i) {
    const Scalar normed = x[i] * inverse;
    d_x[i] += inverse * (d[i] * gain[i] - normed * mean_gx);
    d_gain[i] += d[i] * normed;
  }
}

template <class Scalar>
void norm_all_backward(const Scalar* x, const RowMoments<Scalar>* moments, int rows, int width,
                       const Scalar* gain, const Scalar* d_out, Scalar* d_x, Scalar* d_gain, Scalar* d_bias) {
  for (std::ptrdiff_t r = 0; r < rows; ++r) {
    const std::ptrdiff_t at = r * width;
    if (d_bias == nullptr) {
      rms_norm_row_backward(x + at, moments[r].inverse, width, gain, d_out + at, d_x + at, d_gain);
    } else {
      layer_norm_row_backward(x + at, moments[r], width, gain, d_out + at, d_x + at, d_gain, d_bias);
    }
  }
}

void norm_floats(const float* x, int rows, int width, const float* gain, const float* bias, float epsilon,
                 float* out, RowMoments<float>* moments) {
  norm_all(x, rows, width, gain, bias, epsilon, out, moments);
}

void norm_floats_backward(const float* x, const RowMoments<float>* moments, int rows, int width,
                          const float* gain, const float* d_out, float* d_x, float* d_gain, float* d_bias) {
  norm_all_backward(x, moments, rows, width, gain, d_out, d_x, d_gain, d_bias);
}

}  // namespace
}  // namespace headscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {
namespace {

HWY_EXPORT(norm_floats);
HWY_EXPORT(norm_floats_backward);

}  // namespace

template <>
void norm_rows(const float* x, int rows, int width, const float* gain, const float* bias, float epsilon,
               float* out, RowMoments<float>* moments) {
  HWY_DYNAMIC_DISPATCH(norm_floats)(x, rows, width, gain, bias, epsilon, out, moments);
}

template <>
void norm_rows(const double* x, int rows, int width, const double* gain, const double* bias, double epsilon,
               double* out, RowMoments<double>* moments) {
  HWY_STATIC_DISPATCH(norm_all)(x, rows, width, gain, bias, epsilon, out, moments);
}

template <>
void norm_rows_backward(const float* x, const RowMoments<float>* moments, int rows, int width,
                        const float* gain, const float* d_out, float* d_x, float* d_gain, float* d_bias) {
  HWY_DYNAMIC_DISPATCH(norm_floats_backward)
  (x, moments, rows, width, gain, d_out, d_x, d_gain, d_bias);
}

template <>
void norm_rows_backward(const double* x, const RowMoments<double>* moments, int rows, int width,
                        const double* gain, const double* d_out, double* d_x, double* d_gain,
                        double* d_bias) {
  HWY_STATIC_DISPATCH(norm_all_backward)(x, moments, rows, width, gain, d_out, d_x, d_gain, d_bias);
}

}  // namespace headscope
#endif
