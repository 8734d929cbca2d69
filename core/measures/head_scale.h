#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "core/slices.h"
#include "core/trace/trace.h"

namespace headscope {

/// A row of scores and its softmax, in double precision.
struct SoftmaxRow {
  std::vector<double> scores;   ///< The inputs of softmax; −∞ is hidden
  std::vector<double> weights;  ///< p; all 0 if nothing is visible
  double sink = 0.0;            ///< The weight of the sink
};

/// \param sink The score of the attention sink; −∞ means none.
SoftmaxRow softmax_row(std::vector<double> scores, double sink = -std::numeric_limits<double>::infinity());

/// A cell of the softmax's Jacobian, ∂p_i / ∂s_j = p_i (δ_ij − p_j), where i is `weight` and j is `score`.
/// Its magnitude is at most 1/4. Rows and columns sum to 0, or to p_i q with a sink of weight q.
double jacobian_cell(const SoftmaxRow& row, int weight, int score);

/// The Frobenius norm of the Jacobian, √(Σ p_i² (1 − p_i)² + Σ_{i≠j} p_i² p_j²), in O(n). Without a sink it
/// is at most 1/2 (two equal weights), √(n − 1) / n for n equal weights, and 0 if one key has all the weight.
/// The relative error is about 1e-13, even close to that last case.
double jacobian_norm(const SoftmaxRow& row);

/// −Σ p ln p in nats, including the sink.
double entropy_of(const SoftmaxRow& row);
double max_weight(const SoftmaxRow& row);

/// Means over several rows.
struct SoftmaxMeans {
  double norm = 0.0;      ///< Mean norm of the Jacobian
  double greatest = 0.0;  ///< Mean of the maximum weight
  double entropy = 0.0;   ///< Mean entropy in nats
};

/// Accumulates numbers for their variance.
class VarianceSums {
 public:
  void add(double number);
  /// Σ (x − mean)² / (n − 1), like torch.var; 0 for fewer than two numbers. Welford 1962.
  double variance() const { return n_ < 2 ? 0.0 : squares_ / static_cast<double>(n_ - 1); }

 private:
  long long n_ = 0;
  double mean_ = 0.0;
  double squares_ = 0.0;
};

/// The factors of a head's raw scores with and without the division by √d_head, including the temperature.
struct ScoreFactors {
  int width = 1;               ///< d_head.
  double yarn = 1.0;           ///< YaRN's factor, included in both. 1 unless there is a key-value latent.
  double divided = 1.0;        ///< With the division: 1/√d_head, or the model's own scale
  double undivided = 1.0;      ///< Without it: 1, before YaRN and temperature
  bool is_divided = true;      ///< Whether this pass divides
  bool has_own_scale = false;  ///< Whether the scale differs from 1/√d_head
};
/// The pass must have the head's raw scores.
ScoreFactors score_factors(const Trace& trace, const StageId& head);

/// Recomputes rows of a head's softmax with the raw scores times `factor`, with the softcap, position biases,
/// mask and sink of the pass but without interventions and dropout. Requires raw scores and a softmax over
/// keys.
std::vector<SoftmaxRow> softmax_rows(const Trace& trace, const StageId& head, int first, int n,
                                     double factor);

/// The effect of the division on the maximum weight of a query.
struct ScaleGain {
  int query = 0;
  double divided = 0.0, undivided = 0.0;  ///< Maximum weight
};

/// The query that the division affects most. Empty if it affects the query `shown` noticeably or none at all,
/// or if there are more than 64 queries, which would take too long. Requirements as for softmax_rows().
std::optional<ScaleGain> most_affected_query(const Trace& trace, const StageId& head, int shown);

/// Statistics of a head over the queries that see at least two keys.
struct HeadScale {
  StageId head;  ///< The stage that was measured.
  SoftmaxMeans divided, undivided;
  double raw_variance = 0.0;  ///< The variance of the raw scores of visible cells.
  /// Over all numbers in the sampled rows.
  double query_variance = 0.0, key_variance = 0.0;
  int n_rows = 0;

  /// d_head · var(q) · var(k): the variance of the raw scores if all numbers were independent with mean 0.
  double expected_variance(int width) const { return width * query_variance * key_variance; }
};

/// Samples at most `max_rows` evenly spaced queries, excluding padding.
HeadScale head_scale(const Trace& trace, const StageId& head, int max_rows);

/// Statistics of q · k for one width, with all numbers drawn from N(0, 1).
struct RandomProducts {
  int width = 1;  ///< d_head.
  /// The measured variance of q · k. The expected variance is d_head (Vaswani et al. 2017, footnote 4).
  double variance = 0.0;
  SoftmaxMeans divided;    ///< softmax(q · k / √d_head).
  SoftmaxMeans undivided;  ///< softmax(q · k).
};

inline constexpr int max_product_width = 512;
inline constexpr int random_rows = 1024;

/// Draws `random_rows` rows of `n_keys` ≥ 1 keys for each width 1, 2, 4 … 512, and for `own_width` if that is
/// smaller. Narrower vectors are prefixes of wider ones. Deterministic.
Slices<std::vector<RandomProducts>> random_products(int n_keys, int own_width = 1);

}  // namespace headscope
