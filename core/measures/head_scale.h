#pragma once

#include <optional>
#include <vector>

#include "core/measures/softmax_jacobian.h"
#include "core/trace/trace.h"

namespace headscope {

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

}  // namespace headscope
