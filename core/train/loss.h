#pragma once

#include <vector>

#include "core/train/batch.h"
#include "core/train/rows.h"

namespace headscope {

/// The loss of a batch and how much of it was right; sums, so that shards add up.
struct Score {
  double loss = 0.0;                  ///< Σ weight · cross-entropy, nats: the mean of the parts (LossPart)
  std::vector<double> cross_entropy;  ///< of each part, in nats, summed over its rows
  std::vector<int> correct;           ///< of each part: rows whose likeliest word is the wanted one
  std::vector<int> rows;              ///< of each part

  explicit Score(std::size_t n_parts = 0) : cross_entropy(n_parts), correct(n_parts), rows(n_parts) {}
  void add(const Score& other);
  double accuracy(std::size_t part) const;
  /// The part's mean cross-entropy in nats; 0 without rows.
  double mean(std::size_t part) const;
};

/// Softmax cross-entropy −ln p(wanted) of each row of logits [N, vocabulary]. With `writes_gradient` the
/// logits are replaced by the loss's gradient: weight · (p − one-hot), 0 where nothing is wanted.
template <class Scalar>
Score cross_entropy(const Shard& shard, std::size_t n_parts, Rows<Scalar>& logits, bool writes_gradient);

/// In place: softcap() of the logits, which `capped` keeps for the way back.
template <class Scalar>
void cap_logits(Scalar limit, Rows<Scalar>& logits, Rows<Scalar>& capped);
/// In place: from the gradient by capped logits, the one by what they were: times 1 − (capped / limit)².
template <class Scalar>
void cap_logits_backward(Scalar limit, const Rows<Scalar>& capped, Rows<Scalar>& d_logits);

}  // namespace headscope
