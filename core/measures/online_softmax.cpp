#include "core/measures/online_softmax.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace headscope {
namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

std::size_t place_of(int row, int width) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(width);
}

double greatest_of(MatrixView scores, int row) {
  double greatest = nothing;
  for (const float score : scores.row(row)) greatest = std::max(greatest, static_cast<double>(score));
  return greatest;
}

void add_weighted(double weight, MatrixView values, int key, double* output) {
  for (int v = 0; v < values.cols; ++v) output[v] += weight * static_cast<double>(values(key, v));
}

}  // namespace

double OnlineSoftmax::normalised(int row, int dimension) const {
  const double all = sum[static_cast<std::size_t>(row)];
  return all > 0.0 ? output[place_of(row, width) + static_cast<std::size_t>(dimension)] / all : 0.0;
}

OnlineSoftmax nothing_seen(int rows, int width, double sink) {
  OnlineSoftmax kept;
  const auto n = static_cast<std::size_t>(rows);
  kept.maximum.assign(n, sink);
  kept.sum.assign(n, sink == nothing ? 0.0 : 1.0);
  kept.rescaled.assign(n, 0.0);
  kept.output.assign(place_of(rows, width), 0.0);
  kept.width = width;
  return kept;
}

void take_in(OnlineSoftmax& kept, MatrixView scores, MatrixView values) {
  for (int r = 0; r < kept.rows(); ++r) {
    const auto row = static_cast<std::size_t>(r);
    const double before = kept.maximum[row];
    const double now = std::max(before, greatest_of(scores, r));
    // exp(−∞ − −∞) would be NaN. A row that has seen nothing has nothing to multiply.
    const double factor = before == nothing ? (now == nothing ? 1.0 : 0.0) : std::exp(before - now);
    kept.rescaled[row] = factor;
    if (now == nothing) continue;
    kept.maximum[row] = now;
    kept.sum[row] *= factor;
    double* output = kept.output.data() + place_of(r, kept.width);
    for (int v = 0; v < kept.width; ++v) output[v] *= factor;
    for (int key = 0; key < scores.cols; ++key) {
      const double weight = std::exp(static_cast<double>(scores(r, key)) - now);
      kept.sum[row] += weight;
      add_weighted(weight, values, key, output);
    }
  }
}

std::vector<double> attended_at_once(MatrixView scores, MatrixView values, double sink) {
  std::vector<double> all(place_of(scores.rows, values.cols), 0.0);
  for (int r = 0; r < scores.rows; ++r) {
    const double greatest = std::max(greatest_of(scores, r), sink);
    if (greatest == nothing) continue;
    double sum = std::exp(sink - greatest);
    for (const float score : scores.row(r)) sum += std::exp(static_cast<double>(score) - greatest);
    double* output = all.data() + place_of(r, values.cols);
    for (int key = 0; key < scores.cols; ++key) {
      add_weighted(std::exp(static_cast<double>(scores(r, key)) - greatest) / sum, values, key, output);
    }
  }
  return all;
}

}  // namespace headscope
