#pragma once

#include <optional>
#include <vector>

#include "core/measures/softmax_jacobian.h"
#include "core/trace/trace.h"

namespace headscope {

/// The factors of a head's raw scores with and without the division by √d_head. Both are already divided by
/// the temperature.
struct ScoreFactors {
  int width = 1;           ///< d_head.
  double yarn = 1.0;       ///< YaRN's factor, which is part of both. 1 unless keys are made from a latent.
  double divided = 1.0;    ///< The factor with the division: 1/√d_head, or the model's own scale.
  double undivided = 1.0;  ///< The factor without the division, which is 1 before YaRN and the temperature.
  bool is_divided = true;  ///< True if this pass divides.
  bool has_own_scale = false;  ///< True if the model has a scale other than 1/√d_head.
};
/// The pass must have the head's raw scores.
ScoreFactors score_factors(const Trace& trace, const StageId& head);

/// Computes rows of a head's softmax with the raw scores multiplied by `factor`. The softcap, position
/// biases, mask and sink are those of the pass; interventions and dropout, which follow softmax, are left
/// out. The pass must have the raw scores, a softmax over keys, and the rows.
std::vector<SoftmaxRow> softmax_rows(const Trace& trace, const StageId& head, int first, int n,
                                     double factor);

/// How much the division lowers the greatest weight in a query's row.
struct ScaleGain {
  int query = 0;
  double divided = 0.0, undivided = 0.0;  ///< The row's greatest weight.
};

/// Returns the query in whose row the division matters most, if it matters little in the row of the query
/// `shown`. Returns nullopt if it matters there, if it matters little everywhere, or if the pass has more
/// than 64 queries, because that would take too long. The pass must have what softmax_rows() needs.
std::optional<ScaleGain> telling_query(const Trace& trace, const StageId& head, int shown);

/// Describes a head by its queries that see at least two keys; the other queries have no choice.
struct HeadScale {
  SoftmaxMeans divided, undivided;
  double raw_variance = 0.0;  ///< The variance of the raw scores of visible cells.
  /// The variance of all numbers in the rows that were read.
  double query_variance = 0.0, key_variance = 0.0;
  int n_rows = 0;

  /// d_head · var(q) · var(k), the variance of the raw scores if all numbers were independent with mean 0.
  double expected_variance(int width) const { return width * query_variance * key_variance; }
};

/// Measures a head over at most `most_rows` queries, evenly spaced. The padding of a batch is left out.
HeadScale head_scale(const Trace& trace, const StageId& head, int most_rows);

}  // namespace headscope
