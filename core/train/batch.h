#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/tasks/task.h"

namespace headscope {

/// Sequences of different lengths as consecutive rows of one matrix, without padding between them. Linear
/// layers process all rows at once, and attention knows where each sequence begins.
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

/// The part of a batch that one thread computes at once: sentences, the wanted words, and the weight of each
/// row.
struct Shard {
  Sequences source, target;  ///< `target` is empty unless there are two stacks.
  /// The index of its first example in the whole batch. It identifies the streams of dropout.
  int first_example = 0;
  std::vector<int> wanted;     ///< The wanted id of each row of the last stack, or −1 for none.
  std::vector<double> weight;  ///< The weight of each row's cross-entropy in the loss.
  /// For each row, the bits of the parts of the loss in which its word counts.
  std::vector<std::uint8_t> parts;
  /// Example::looks for each row. Empty if no part of the loss teaches a head where to look.
  std::vector<int> looks;
  double look_weight = 0.0;   ///< The weight in the loss of each row's cross-entropy for `looks`.
  std::size_t look_part = 0;  ///< The part of the loss in which `looks` counts.

  const Sequences& asked() const { return target.count() > 0 ? target : source; }
};

/// Returns how many rows of a batch count in each part.
std::vector<int> rows_of_parts(std::span<const Example> examples, std::size_t n_parts);

/// Divides `examples` into `n_shards` shards of about equally many rows. Each row gets a weight such that the
/// batch's loss is the weighted mean of the parts' mean cross-entropies: for each of its parts, the part's
/// share of all weights, divided by the number of the batch's rows in that part.
std::vector<Shard> shards_of(std::span<const Example> examples, std::span<const LossPart> parts,
                             int n_shards);

}  // namespace headscope
