#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include "core/measures/softmax_jacobian.h"
#include "core/trace/trace.h"

namespace headscope {

/// What the raw scores of a head are multiplied by, with and without the division by √d_head. A temperature
/// divides both.
struct ScoreFactors {
  int width = 1;               ///< d_head
  double yarn = 1.0;           ///< what YaRN multiplies both by, where keys are made from a latent
  double divided = 1.0;        ///< 1/√d_head, or the model's own scale
  double undivided = 1.0;      ///< 1
  bool is_divided = true;      ///< in this pass
  bool has_own_scale = false;  ///< the model has another scale than 1/√d_head
};
/// The pass must have the head's raw scores.
ScoreFactors score_factors(const Trace& trace, const StageId& head);

/// Rows of a head's softmax with raw scores multiplied by `factor`; softcap, position biases, mask and sink
/// are those of the pass, interventions and dropout, which come after softmax, are left out. The pass must
/// have the raw scores and a softmax over keys; the rows must be there.
std::vector<SoftmaxRow> softmax_rows(const Trace& trace, const StageId& head, int first, int n,
                                     double factor);

/// A head over its queries that see two keys or more: the others have no choice.
struct HeadScale {
  SoftmaxMeans divided, undivided;
  double raw_variance = 0.0;                        ///< of the raw scores of visible cells
  double query_variance = 0.0, key_variance = 0.0;  ///< of all numbers of the rows that were read
  int n_rows = 0;

  /// d_head · var(q) · var(k): the raw scores' variance if all numbers were independent with mean 0.
  double expected_variance(int width) const { return width * query_variance * key_variance; }
};

/// Of at most `most_rows` queries, evenly spaced. What fills up a batch is left out. Nothing where `stop`
/// became true.
std::optional<HeadScale> head_scale(const Trace& trace, const StageId& head, int most_rows,
                                    const std::atomic<bool>* stop = nullptr);

}  // namespace headscope
