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
HWY_INLINE RowMoments<Scalar> row_moments(const Scalar* x, int width, Scalar epsilon) {
  const Scalar mean = row_sum(x, width) / static_cast<Scalar>(width);
  const Scalar squares = sum_of<Scalar>(width, [=](int i) HWY_ATTR { return (x[i] - mean) * (x[i] - mean); });
  const Scalar variance = squares / static_cast<Scalar>(width);
  return {mean, Scalar{1} / std::sqrt(variance + epsilon)};
}

template <class Scalar>
HWY_INLINE RowMoments<Scalar> norm_row(const Scalar* x, int width, const Scalar* gain, const Scalar* bias,
                                       Scalar epsilon, Scalar* out) {
  const RowMoments<Scalar> m = row_moments(x, width, epsilon);
#pragma omp simd
  for (int i = 0; i < width; ++i) out[i] = (x[i] - m.mean) * m.inverse * gain[i] + bias[i];
  return m;
}

void norm_rows(const MatrixView& x, const float* gain, const float* bias, float epsilon, float* out) {
  for (int r = 0; r < x.rows; ++r) {
    norm_row(x.data + r * x.stride, x.cols, gain, bias, epsilon,
             out + static_cast<std::ptrdiff_t>(r) * x.cols);
  }
}

template <class Scalar>
void norm_rows_with_moments(const Scalar* x, int rows, int width, const Scalar* gain, const Scalar* bias,
                            Scalar epsilon, Scalar* out, RowMoments<Scalar>* moments) {
  for (std::ptrdiff_t r = 0; r < rows; ++r) {
    moments[r] = norm_row(x + r * width, width, gain, bias, epsilon, out + r * width);
  }
}

// With x̂ = (x − mean) · inverse and g = d_out · gain: d_x = inverse · (g − mean(g) − x̂ · mean(g · x̂)).
template <class Scalar>
void norm_rows_backward(const Scalar* x, const RowMoments<Scalar>* moments, int rows, int width,
                        const Scalar* gain, const Scalar* d_out, Scalar* d_x, Scalar* d_gain,
                        Scalar* d_bias) {
  for (std::ptrdiff_t r = 0; r < rows; ++r) {
    const Scalar* from = x + r * width;
    const Scalar* d = d_out + r * width;
    Scalar* to = d_x + r * width;
    const RowMoments<Scalar> m = moments[r];
    const Scalar sum = sum_of<Scalar>(width, [=](int i) HWY_ATTR { return d[i] * gain[i]; });
    const Scalar sum_with_x =
        sum_of<Scalar>(width, [=](int i) HWY_ATTR { return d[i] * gain[i] * (from[i] - m.mean); });
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

void norm_float_rows(const float* x, int rows, int width, const float* gain, const float* bias, float epsilon,
                     float* out, RowMoments<float>* moments) {
  norm_rows_with_moments(x, rows, width, gain, bias, epsilon, out, moments);
}

void norm_float_rows_backward(const float* x, const RowMoments<float>* moments, int rows, int width,
                              const float* gain, const float* d_out, float* d_x, float* d_gain,
                              float* d_bias) {
  norm_rows_backward(x, moments, rows, width, gain, d_out, d_x, d_gain, d_bias);
}

template <class Scalar>
HWY_INLINE Scalar rms_norm_row(const Scalar* x, int width, const Scalar* gain, Scalar epsilon, Scalar* out) {
  const Scalar squares = sum_of<Scalar>(width, [=](int i) HWY_ATTR { return x[i] * x[i]; });
  const Scalar inverse = Scalar{1} / std::sqrt(squares / static_cast<Scalar>(width) + epsilon);
#pragma omp simd
  for (int i = 0; i < width; ++i) out[i] = x[i] * inverse * gain[i];
  return inverse;
}

void rms_norm_view(const MatrixView& x, const float* gain, float epsilon, float* out) {
  for (int r = 0; r < x.rows; ++r) {
    rms_norm_row(x.data + r * x.stride, x.cols, gain, epsilon, out + static_cast<std::ptrdiff_t>(r) * x.cols);
  }
}

template <class Scalar>
void rms_norm_all(const Scalar* x, int rows, int width, const Scalar* gain, Scalar epsilon, Scalar* out,
                  Scalar* inverses) {
  for (std::ptrdiff_t r = 0; r < rows; ++r) {
    inverses[r] = rms_norm_row(x + r * width, width, gain, epsilon, out + r * width);
  }
}

// With x̂ = x · inverse and g = d_out · gain: d_x = inverse · (g − x̂ · mean(g · x̂)).
template <class Scalar>
void rms_norm_all_backward(const Scalar* x, const Scalar* inverses, int rows, int width, const Scalar* gain,
                           const Scalar* d_out, Scalar* d_x, Scalar* d_gain) {
  for (std::ptrdiff_t r = 0; r < rows; ++r) {
    const Scalar* from = x + r * width;
    const Scalar* d = d_out + r * width;
    Scalar* to = d_x + r * width;
    const Scalar inverse = inverses[r];
    const Scalar sum = sum_of<Scalar>(width, [=](int i) HWY_ATTR { return d[i] * gain[i] * from[i]; });
    const Scalar mean_gx = sum * inverse / static_cast<Scalar>(width);
#pragma omp simd
    for (int i = 0; i < width; ++i) {
      const Scalar normed = from[i] * inverse;
      to[i] += inverse * (d[i] * gain[i] - normed * mean_gx);
      d_gain[i] += d[i] * normed;
    }
  }
}

void rms_norm_floats(const float* x, int rows, int width, const float* gain, float epsilon, float* out,
                     float* inverses) {
  rms_norm_all(x, rows, width, gain, epsilon, out, inverses);
}

void rms_norm_floats_backward(const float* x, const float* inverses, int rows, int width, const float* gain,
                              const float* d_out, float* d_x, float* d_gain) {
  rms_norm_all_backward(x, inverses, rows, width, gain, d_out, d_x, d_gain);
}

}  // namespace
}  // namespace headscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {
namespace {

HWY_EXPORT(norm_rows);
HWY_EXPORT(norm_float_rows);
HWY_EXPORT(norm_float_rows_backward);
HWY_EXPORT(rms_norm_view);
HWY_EXPORT(rms_norm_floats);
HWY_EXPORT(rms_norm_floats_backward);

}  // namespace

void layer_norm(const MatrixView& x, const float* gain, const float* bias, float* out, float epsilon) {
  HWY_DYNAMIC_DISPATCH(norm_rows)(x, gain, bias, epsilon, out);
}

template <>
void layer_norm_rows(const float* x, int rows, int width, const float* gain, const float* bias, float* out,
                     RowMoments<float>* moments, float epsilon) {
  HWY_DYNAMIC_DISPATCH(norm_float_rows)(x, rows, width, gain, bias, epsilon, out, moments);
}

template <>
void layer_norm_rows(const double* x, int rows, int width, const double* gain, const double* bias,
                     double* out, RowMoments<double>* moments, double epsilon) {
  HWY_STATIC_DISPATCH(norm_rows_with_moments)(x, rows, width, gain, bias, epsilon, out, moments);
}

template <>
void layer_norm_backward(const float* x, const RowMoments<float>* moments, int rows, int width,
                         const float* gain, const float* d_out, float* d_x, float* d_gain, float* d_bias) {
  HWY_DYNAMIC_DISPATCH(norm_float_rows_backward)
  (x, moments, rows, width, gain, d_out, d_x, d_gain, d_bias);
}

template <>
void layer_norm_backward(const double* x, const RowMoments<double>* moments, int rows, int width,
                         const double* gain, const double* d_out, double* d_x, double* d_gain,
                         double* d_bias) {
  HWY_STATIC_DISPATCH(norm_rows_backward)(x, moments, rows, width, gain, d_out, d_x, d_gain, d_bias);
}

void rms_norm(const MatrixView& x, const float* gain, float epsilon, float* out) {
  HWY_DYNAMIC_DISPATCH(rms_norm_view)(x, gain, epsilon, out);
}

template <>
void rms_norm_rows(const float* x, int rows, int width, const float* gain, float epsilon, float* out,
                   float* inverses) {
  HWY_DYNAMIC_DISPATCH(rms_norm_floats)(x, rows, width, gain, epsilon, out, inverses);
}

template <>
void rms_norm_rows(const double* x, int rows, int width, const double* gain, double epsilon, double* out,
                   double* inverses) {
  HWY_STATIC_DISPATCH(rms_norm_all)(x, rows, width, gain, epsilon, out, inverses);
}

template <>
void rms_norm_backward(const float* x, const float* inverses, int rows, int width, const float* gain,
                       const float* d_out, float* d_x, float* d_gain) {
  HWY_DYNAMIC_DISPATCH(rms_norm_floats_backward)(x, inverses, rows, width, gain, d_out, d_x, d_gain);
}

template <>
void rms_norm_backward(const double* x, const double* inverses, int rows, int width, const double* gain,
                       const double* d_out, double* d_x, double* d_gain) {
  HWY_STATIC_DISPATCH(rms_norm_all_backward)(x, inverses, rows, width, gain, d_out, d_x, d_gain);
}

}  // namespace headscope
#endif
