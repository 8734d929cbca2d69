#include "core/train/batch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/tensor/elementwise.h"
#include "core/tensor/softmax.h"
#include "core/train/attention.h"

namespace headscope {

void Sequences::add(std::span<const int> tokens) {
  int next = 0;
  for (const int id : tokens) {
    ids.push_back(id);
    position.push_back(next++);
  }
  first.push_back(static_cast<int>(ids.size()));
}

std::vector<int> rows_of_parts(std::span<const Example> examples, std::size_t n_parts) {
  std::vector<int> rows(n_parts, 0);
  for (const Example& example : examples) {
    for (const std::uint8_t bits : example.parts) {
      for (std::size_t p = 0; p < n_parts; ++p) rows[p] += (bits >> p) & 1;
    }
  }
  return rows;
}

std::vector<Shard> shards_of(std::span<const Example> examples, std::span<const LossPart> parts,
                             int n_shards) {
  const std::vector<int> counts = rows_of_parts(examples, parts.size());
  double total = 0.0;
  for (const LossPart& part : parts) total += static_cast<double>(part.weight);
  const auto weight_of_part = [&](std::size_t p) {
    return static_cast<double>(parts[p].weight) / total / counts[p];
  };
  std::uint8_t of_words = 0;  // The bits of parts for words
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (!parts[p].is_attention_loss) of_words |= static_cast<std::uint8_t>(1U << p);
  }
  const auto weight_of = [&](std::uint8_t bits) {
    double weight = 0.0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (((bits & of_words) >> p & 1) != 0) weight += weight_of_part(p);
    }
    return weight;
  };
  const bool teaches = std::ranges::any_of(parts, &LossPart::is_attention_loss);
  std::vector<Shard> shards(static_cast<std::size_t>(n_shards));
  for (std::size_t s = 0; s < shards.size(); ++s) {
    const std::size_t begin = examples.size() * s / shards.size();
    const std::size_t end = examples.size() * (s + 1) / shards.size();
    Shard& shard = shards[s];
    shard.first_example = static_cast<int>(begin);
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (!parts[p].is_attention_loss) continue;
      shard.attention_loss_part = p;
      shard.attention_loss_weight = counts[p] == 0 ? 0.0 : weight_of_part(p);
    }
    for (const Example& example : examples.subspan(begin, end - begin)) {
      shard.source.add(example.source);
      if (!example.target.empty()) shard.target.add(example.target);
      shard.expected.insert(shard.expected.end(), example.expected.begin(), example.expected.end());
      for (const std::uint8_t bits : example.parts) shard.parts.push_back(bits & of_words);
      shard.attention_targets.insert(shard.attention_targets.end(), example.attention_targets.begin(),
                                     example.attention_targets.end());
      if (teaches) shard.attention_targets.resize(shard.parts.size(), -1);
      for (const std::uint8_t bits : example.parts) shard.weight.push_back(weight_of(bits));
    }
  }
  return shards;
}

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

template Score cross_entropy(const Shard&, std::size_t, RowMatrix<float>&, bool);
template Score cross_entropy(const Shard&, std::size_t, RowMatrix<double>&, bool);

template <class Scalar>
void add_attention_loss(const HeadPlan& plan, const HeadActivations<Scalar>& state, Score& score) {
  const Shard& teacher = *plan.teacher;
  const Sequences& sequences = teacher.last_stack();
  std::ptrdiff_t map = 0;  // Offset of the weights of the first head
  for (int s = 0; s < sequences.count(); ++s) {
    const int n = sequences.length(s);
    const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(n) * padded(n);
    const int* attention_targets = teacher.attention_targets.data() + sequences.begin(s);
    for (int i = 0; i < n; ++i) {
      const int target_key = attention_targets[i];
      if (target_key < 0 || plan.visibility.is_outside_window(i, target_key)) continue;
      const Scalar* row =
          state.weights.data() + map + taught_head * size + static_cast<std::ptrdiff_t>(i) * padded(n);
      constexpr double min_weight = std::numeric_limits<float>::min();
      const double cost = -std::log(std::max(static_cast<double>(row[target_key]), min_weight));
      score.loss += teacher.attention_loss_weight * cost;
      score.cross_entropy[teacher.attention_loss_part] += cost;
      score.correct[teacher.attention_loss_part] +=
          row[target_key] == *std::max_element(row, row + n) ? 1 : 0;
      ++score.rows[teacher.attention_loss_part];
    }
    map += size * plan.architecture.n_heads;
  }
}

template void add_attention_loss(const HeadPlan&, const HeadActivations<float>&, Score&);
template void add_attention_loss(const HeadPlan&, const HeadActivations<double>&, Score&);

}  // namespace headscope
