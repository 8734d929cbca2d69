#include "core/model/streams.h"

#include <algorithm>
#include <cmath>

#include "core/tensor/random.h"

namespace headscope {

double mean_square(const float* x, std::size_t n) {
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  return sum / static_cast<double>(n);
}

void as_large(const MatrixView& parts, const MatrixView& model, float* out) {
  const int width = model.cols;
  for (int row = 0; row < parts.rows; ++row) {
    const double target = mean_square(model.row(row).data(), width);
    const float* in = parts.row(row).data();
    for (int first = 0; first < parts.cols; first += width, in += width) {
      const double factor = std::sqrt(target / std::max(mean_square(in, width), min_mean_square));
      for (int i = 0; i < width; ++i) *out++ = static_cast<float>(static_cast<double>(in[i]) * factor);
    }
  }
}

void predict_streams(const MatrixView& x, const MatrixView& others, const MatrixView& coefficients, int first,
                     int last, float* out) {
  const int width = x.cols, n = others.cols / width + 1;
  for (int row = 0; row < x.rows; ++row) {
    const auto stream = [&](int i) {
      return i == 0 ? x.row(row).data() : others.row(row).data() + std::ptrdiff_t{i - 1} * width;
    };
    for (int i = first; i < last; ++i, out += width) {
      std::copy_n(stream(i), width, out);
      for (int j = 0; j < n; ++j) {
        const float factor = coefficients(row, i * n + j);
        for (int k = 0; k < width; ++k) out[k] += factor * stream(j)[k];
      }
    }
  }
}

void correct_streams(const MatrixView& predicted, const MatrixView& first, const MatrixView& computed,
                     const MatrixView& coefficients, int index, float* out) {
  const int width = first.cols;
  for (int row = 0; row < predicted.rows; ++row) {
    for (int i = 0; i < predicted.cols; ++i) {
      const int k = i % width;
      *out++ = predicted(row, i) +
               (1.0F + coefficients(row, index + i / width)) * (computed(row, k) - first(row, k));
    }
  }
}

void add_to_streams(const MatrixView& parts, const MatrixView& x, float* out) {
  for (int row = 0; row < parts.rows; ++row)
    for (int i = 0; i < parts.cols; ++i) *out++ = parts(row, i) + x(row, i % x.cols);
}

void mean_of_streams(const MatrixView& x, const MatrixView& parts, float* out) {
  const auto n = static_cast<float>(parts.cols / x.cols + 1);
  for (int row = 0; row < x.rows; ++row, out += x.cols) {
    std::copy_n(x.row(row).data(), x.cols, out);
    for (int i = 0; i < parts.cols; ++i) out[i % x.cols] += parts(row, i);
    for (int i = 0; i < x.cols; ++i) out[i] /= n;
  }
}

void multiply_streams(const MatrixView& parts, const Linear& linear, float* out, ThreadPool& pool) {
  const int width = linear.n_in();
  Matrix made(parts.rows, width);
  for (int first = 0; first < parts.cols; first += width) {
    const Linear own = linear.parts.empty() ? Linear(linear.columns(first, width), RowVector::Zero(width))
                                            : linear.parts[static_cast<std::size_t>(first / width)];
    const Matrix read = eigen(parts).middleCols(first, width);
    multiply(view_of(read), own, made.data(), pool);
    Eigen::Map<Matrix>(out, parts.rows, parts.cols).middleCols(first, width) = made;
  }
}

void multiply_limited(const MatrixView& x, const Linear& linear, float limit, float* out) {
  Matrix weight = linear.weight();
  if (limit > 0.0F) weight = weight.cwiseMax(-limit).cwiseMin(limit);
  Eigen::Map<Matrix>(out, x.rows, weight.cols()) = eigen(x) * weight;
}

void lower_by_quantile(const MatrixView& x, float share, float* out) {
  const double deviations = normal_quantile(static_cast<double>(share));
  for (int row = 0; row < x.rows; ++row) {
    double sum = 0.0, squares = 0.0;
    for (const float number : x.row(row)) sum += static_cast<double>(number);
    const double mean = sum / x.cols;
    for (const float number : x.row(row))
      squares += (static_cast<double>(number) - mean) * (static_cast<double>(number) - mean);
    const auto least = static_cast<float>(mean + deviations * std::sqrt(squares / x.cols));
    for (const float number : x.row(row)) *out++ = std::max(number - least, 0.0F);
  }
}

}  // namespace headscope
