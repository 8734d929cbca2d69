#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/model/interventions.h"
#include "core/tasks/task.h"
#include "core/train/rows.h"

namespace headscope {

/// Sequences of different lengths, packed as consecutive rows without padding. Linear layers process all rows
/// at once; attention works per sequence.
struct Sequences {
  std::vector<int> first{0};  ///< The first row of each sequence, followed by the number of rows.
  std::vector<int> ids;       ///< The token id of each row.
  std::vector<int> position;  ///< The position of each row in its sequence.

  int count() const { return static_cast<int>(first.size()) - 1; }
  int rows() const { return first.back(); }
  int length(int sequence) const { return first[at(sequence) + 1] - first[at(sequence)]; }
  int begin(int sequence) const { return first[at(sequence)]; }
  void add(std::span<const int> tokens);

 private:
  static std::size_t at(int sequence) { return static_cast<std::size_t>(sequence); }
};

/// The part of a batch that one thread computes: sequences, labels, and the weight of each row.
struct Shard {
  Sequences source, target;  ///< `target` is empty unless there are two stacks.
  /// The index of its first example in the batch, which determines the dropout streams.
  int first_example = 0;
  std::vector<int> expected;   ///< The label of each row of the last stack, or −1
  std::vector<double> weight;  ///< The weight of each row in the loss
  /// For each row, a bit for each part of the loss in which it counts.
  std::vector<std::uint8_t> parts;
  /// Example::attention_targets for each row. Empty if no head is taught where to attend.
  std::vector<int> attention_targets;
  double attention_loss_weight = 0.0;   ///< The weight of each row of `attention_targets` in the loss
  std::size_t attention_loss_part = 0;  ///< The part of the loss for `attention_targets`

  const Sequences& last_stack() const { return target.count() > 0 ? target : source; }
};

/// The number of rows of a batch in each part.
std::vector<int> rows_of_parts(std::span<const Example> examples, std::size_t n_parts);

/// Splits `examples` into `n_shards` shards with about equally many rows. Row weights make the loss of the
/// batch the weighted mean of the parts' mean cross-entropies: a row weighs, for each of its parts, the
/// normalised weight of the part divided by the number of rows of the batch in that part.
std::vector<Shard> shards_of(std::span<const Example> examples, std::span<const LossPart> parts,
                             int n_shards);

/// Squared gradients of the loss at a head, summed over the visible cells of a batch: with respect to its
/// weights (before dropout) and to its scaled scores (after backpropagation through softmax and softcap).
struct ScoreGradientSums {
  double weights = 0.0;
  double scores = 0.0;
  /// Attention × gradient: each weight times its gradient [T, S], of the last sequence; 0 where hidden. Empty
  /// unless needed.
  std::optional<std::vector<double>> products = {};
};

/// What the backward passes of a network leave at its heads and inputs.
struct ScoreGradients {
  bool keeps_products = false;  ///< Whether ScoreGradientSums::products of the last pass are needed.
  std::map<HeadId, std::vector<ScoreGradientSums>> attentions = {};  ///< By their heads 0.
  /// Gradient × input of each token of a stack in the last pass: its embedding times its gradient.
  std::map<Stack, std::vector<double>> input_products = {};

  const ScoreGradientSums& of(const HeadId& head) const {
    return attentions.at({head.stack, head.attention, head.layer})[static_cast<std::size_t>(head.head)];
  }
};

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

}  // namespace headscope
