#pragma once

#include <limits>
#include <vector>

namespace headscope {

/// A row of scores and what softmax makes of it, in double precision.
struct SoftmaxRow {
  std::vector<double> scores;   ///< that enter softmax; −∞ is hidden
  std::vector<double> weights;  ///< p; all 0 where nothing is visible
  double sink = 0.0;            ///< the share of 1 that a sink takes
};

/// \param sink a score that takes part without a weight of its own among the row's; −∞: there is none
SoftmaxRow softmax_row(std::vector<double> scores, double sink = -std::numeric_limits<double>::infinity());

/// A cell of the softmax's Jacobian: ∂p_i / ∂s_j = p_i (δ_ij − p_j), i the weight, j the score. Its magnitude
/// is at most 1/4. Rows and columns add up to 0, or with a sink of share q to p_i q.
double jacobian_cell(const SoftmaxRow& row, int weight, int score);

/// The Frobenius norm of the Jacobian, √(Σ p_i² (1 − p_i)² + Σ_{i≠j} p_i² p_j²), in time that grows with the
/// row's length. Without a sink at most 1/2 (two equal weights), √(n − 1) / n for n equal ones, and 0 where
/// one key has all the weight. Relative error about 1e-13, however near the row is to that.
double jacobian_norm(const SoftmaxRow& row);

/// −Σ p ln p in nats, a sink's share being part of the sum.
double entropy_of(const SoftmaxRow& row);
double greatest_weight(const SoftmaxRow& row);

/// Means of rows.
struct SoftmaxMeans {
  double norm = 0.0;      ///< of the Jacobian
  double greatest = 0.0;  ///< weight
  double entropy = 0.0;   ///< nats
};

/// Adds up rows for their means.
class SoftmaxSums {
 public:
  void add(const SoftmaxRow& row);
  SoftmaxMeans means() const;

 private:
  SoftmaxMeans sums_;
  int n_ = 0;
};

/// Adds up numbers for their variance.
class VarianceSums {
 public:
  void add(double number);
  /// Σ (x − mean)² / (n − 1), as torch.var gives it; 0 for fewer than two numbers. Welford 1962.
  double variance() const { return n_ < 2 ? 0.0 : squares_ / static_cast<double>(n_ - 1); }

 private:
  long long n_ = 0;
  double mean_ = 0.0;
  double squares_ = 0.0;
};

}  // namespace headscope
