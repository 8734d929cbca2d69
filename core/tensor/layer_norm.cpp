#include "core/tensor/layer_norm.h"

#include <cmath>

namespace headscope {

void layer_norm(const MatrixView& x, const float* gain, const float* bias, float* out) {
  const int width = x.cols;
  for (int r = 0; r < x.rows; ++r) {
    const float* from = x.data + r * x.stride;
    float* to = out + static_cast<std::ptrdiff_t>(r) * width;
    float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < width; ++i) sum += from[i];
    const float mean = sum / static_cast<float>(width);
    float squares = 0.0F;
#pragma omp simd reduction(+ : squares)
    for (int i = 0; i < width; ++i) squares += (from[i] - mean) * (from[i] - mean);
    const float variance = squares / static_cast<float>(width);
    const float inverse = 1.0F / std::sqrt(variance + layer_norm_epsilon);
#pragma omp simd
    for (int i = 0; i < width; ++i) to[i] = (from[i] - mean) * inverse * gain[i] + bias[i];
  }
}

}  // namespace headscope
