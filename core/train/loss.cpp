#include "core/train/loss.h"

#include <algorithm>
#include <cmath>

#include "core/tensor/softmax.h"
#include "core/tensor/vector_ops.h"

namespace headscope {

void Score::add(const Score& other) {
  loss += other.loss;
  for (std::size_t p = 0; p < rows.size(); ++p) {
    cross_entropy[p] += other.cross_entropy[p];
    correct[p] += other.correct[p];
    rows[p] += other.rows[p];
  }
}

double Score::accuracy(std::size_t part) const {
  return rows[part] == 0 ? 0.0 : static_cast<double>(correct[part]) / rows[part];
}

double Score::mean(std::size_t part) const {
  return rows[part] == 0 ? 0.0 : cross_entropy[part] / rows[part];
}

template <class Scalar>
Score cross_entropy(const Shard& shard, std::size_t n_parts, RowMatrix<Scalar>& logits,
                    bool writes_gradient) {
  Score score(n_parts);
  const int n = logits.cols();
  for (int r = 0; r < logits.rows(); ++r) {
    Scalar* row = logits.row(r);
    const auto at = static_cast<std::size_t>(r);
    const int expected = shard.expected[at];
    if (expected < 0) {
      if (writes_gradient) std::fill_n(row, n, Scalar{0});
      continue;
    }
    const Scalar expected_logit = row[expected];
    const auto [maximum, sum] = exp_row_in_place(row, n);
    const bool right = expected_logit == maximum;
    const double cost = std::log(static_cast<double>(sum)) - static_cast<double>(expected_logit - maximum);
    const double weight = shard.weight[at];
    score.loss += weight * cost;
    for (std::size_t p = 0; p < n_parts; ++p) {
      if (((shard.parts[at] >> p) & 1) == 0) continue;
      score.cross_entropy[p] += cost;
      score.correct[p] += right ? 1 : 0;
      ++score.rows[p];
    }
    if (!writes_gradient) continue;
    const Scalar factor = static_cast<Scalar>(weight) / sum;
    scale(row, static_cast<std::size_t>(n), factor);
    row[expected] -= static_cast<Scalar>(weight);
  }
  return score;
}

template <class Scalar>
void cap_logits(Scalar limit, RowMatrix<Scalar>& logits, RowMatrix<Scalar>& capped) {
  softcap(logits.data(), logits.size(), limit, logits.data());
  capped.resize(logits.rows(), logits.cols());
  std::copy_n(logits.data(), logits.size(), capped.data());
}

template <class Scalar>
void cap_logits_backward(Scalar limit, const RowMatrix<Scalar>& capped, RowMatrix<Scalar>& d_logits) {
  for (std::size_t i = 0; i < d_logits.size(); ++i) {
    const Scalar share = capped.data()[i] / limit;
    d_logits.data()[i] *= Scalar{1} - share * share;
  }
}

template Score cross_entropy(const Shard&, std::size_t, RowMatrix<float>&, bool);
template Score cross_entropy(const Shard&, std::size_t, RowMatrix<double>&, bool);

template void cap_logits(float, RowMatrix<float>&, RowMatrix<float>&);
template void cap_logits(double, RowMatrix<double>&, RowMatrix<double>&);
template void cap_logits_backward(float, const RowMatrix<float>&, RowMatrix<float>&);
template void cap_logits_backward(double, const RowMatrix<double>&, RowMatrix<double>&);

}  // namespace headscope
