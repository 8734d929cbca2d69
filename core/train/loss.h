#pragma once

#include <vector>

#include "core/train/batch.h"
#include "core/train/rows.h"

namespace headscope {

/// The loss of a batch and its correct predictions, as sums so that the scores of shards can be added.
struct Score {
  /// Σ weight · cross-entropy in nats, which is the weighted mean of the parts (see LossPart).
  double loss = 0.0;
  std::vector<double> cross_entropy;  ///< For each part, the cross-entropy in nats, summed over its rows.
  std::vector<int> correct;  ///< For each part, the number of rows whose likeliest word is the wanted one.
  std::vector<int> rows;     ///< For each part, the number of rows.

  explicit Score(std::size_t n_parts = 0) : cross_entropy(n_parts), correct(n_parts), rows(n_parts) {}
  void add(const Score& other);
  double accuracy(std::size_t part) const;
  /// Returns the part's mean cross-entropy in nats, or 0 if it has no rows.
  double mean(std::size_t part) const;
};

/// Computes the softmax cross-entropy −ln p(wanted) of each row of logits [N, vocabulary]. If
/// `writes_gradient` is true, replaces the logits by the loss's gradient: weight · (p − one-hot), or 0 in
/// rows without a wanted word.
template <class Scalar>
Score cross_entropy(const Shard& shard, std::size_t n_parts, Rows<Scalar>& logits, bool writes_gradient);

/// Applies softcap() to the logits in place and keeps a copy in `capped` for the backward pass.
template <class Scalar>
void cap_logits(Scalar limit, Rows<Scalar>& logits, Rows<Scalar>& capped);
/// Turns the gradient with respect to the capped logits, in place, into that with respect to the uncapped
/// ones by the factor 1 − (capped / limit)².
template <class Scalar>
void cap_logits_backward(Scalar limit, const Rows<Scalar>& capped, Rows<Scalar>& d_logits);

}  // namespace headscope
