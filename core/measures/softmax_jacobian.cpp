#include "core/measures/softmax_jacobian.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope {

SoftmaxRow softmax_row(std::vector<double> scores, double sink) {
  SoftmaxRow row;
  row.weights.assign(scores.size(), 0.0);
  double maximum = sink;
  for (const double score : scores) maximum = std::max(maximum, score);
  if (std::isfinite(maximum)) {
    row.sink = std::exp(sink - maximum);
    double sum = row.sink;
    for (std::size_t i = 0; i < scores.size(); ++i) sum += row.weights[i] = std::exp(scores[i] - maximum);
    for (double& weight : row.weights) weight /= sum;
    row.sink /= sum;
  }
  row.scores = std::move(scores);
  return row;
}

double jacobian_cell(const SoftmaxRow& row, int weight, int score) {
  const double p = row.weights[static_cast<std::size_t>(weight)];
  return p * ((weight == score ? 1.0 : 0.0) - row.weights[static_cast<std::size_t>(score)]);
}

double jacobian_norm(const SoftmaxRow& row) {
  if (row.weights.empty()) return 0.0;
  const auto greatest = std::ranges::max_element(row.weights);
  // Sum the other weights instead of subtracting from 1, which would cancel near one-hot rows.
  double others = row.sink;
  double squares = 0.0;
  double fourths = 0.0;
  double diagonal = 0.0;
  for (auto each = row.weights.begin(); each != row.weights.end(); ++each) {
    if (each == greatest) continue;
    const double square = *each * *each;
    others += *each;
    squares += square;
    fourths += square * square;
    diagonal += square * (1.0 - *each) * (1.0 - *each);
  }
  const double square = *greatest * *greatest;
  diagonal += square * others * others;
  return std::sqrt(diagonal + 2.0 * square * squares + std::max(squares * squares - fourths, 0.0));
}

double entropy_of(const SoftmaxRow& row) {
  const auto term = [](double p) { return p > 0.0 ? -p * std::log(p) : 0.0; };
  double entropy = term(row.sink);
  for (const double p : row.weights) entropy += term(p);
  return entropy;
}

double max_weight(const SoftmaxRow& row) {
  return row.weights.empty() ? 0.0 : *std::ranges::max_element(row.weights);
}

void SoftmaxSums::add(const SoftmaxRow& row) {
  sums_.norm += jacobian_norm(row);
  sums_.greatest += max_weight(row);
  sums_.entropy += entropy_of(row);
  ++n_;
}

SoftmaxMeans SoftmaxSums::means() const {
  const double n = std::max(n_, 1);
  return {sums_.norm / n, sums_.greatest / n, sums_.entropy / n};
}

void VarianceSums::add(double number) {
  ++n_;
  const double from_mean = number - mean_;
  mean_ += from_mean / static_cast<double>(n_);
  squares_ += from_mean * (number - mean_);
}

}  // namespace headscope
