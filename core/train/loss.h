#pragma once

#include <vector>

#include "core/train/batch.h"
#include "core/train/rows.h"

namespace headscope {

/// The loss and accuracy of a batch, as sums, so that the scores of shards can be added.
struct Score {
  /// Σ weight · cross-entropy in nats, which is the weighted mean of the parts (see LossPart).
  double loss = 0.0;
  std::vector<double> cross_entropy;  ///< Per part, the summed cross-entropy in nats
  std::vector<int> correct;           ///< Per part, the rows whose most likely word is the label
  std::vector<int> rows;              ///< Per part, the number of rows

  explicit Score(std::size_t n_parts = 0) : cross_entropy(n_parts), correct(n_parts), rows(n_parts) {}
  void add(const Score& other);
  double accuracy(std::size_t part) const;
  /// The mean cross-entropy of a part in nats, or 0 if it has no rows.
  double mean(std::size_t part) const;
};

/// The softmax cross-entropy −ln p(label) of each row of logits [N, vocabulary]. If `writes_gradient`,
/// replaces the logits by their gradient: weight · (p − one-hot), or 0 in rows without a label.
template <class Scalar>
Score cross_entropy(const Shard& shard, std::size_t n_parts, RowMatrix<Scalar>& logits, bool writes_gradient);

/// Applies softcap() to the logits in place, and saves a copy in `capped` for the backward pass.
template <class Scalar>
void cap_logits(Scalar limit, RowMatrix<Scalar>& logits, RowMatrix<Scalar>& capped);
/// The backward pass of cap_logits(), in place: times 1 − (capped / limit)².
template <class Scalar>
void cap_logits_backward(Scalar limit, const RowMatrix<Scalar>& capped, RowMatrix<Scalar>& d_logits);

}  // namespace headscope
