#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/tasks/task.h"

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

}  // namespace headscope
