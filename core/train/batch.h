#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/tasks/task.h"

namespace headscope {

/// Sequences of different lengths as consecutive rows of one matrix, without padding between them: linear
/// layers take all rows at once, and attention knows where each sequence begins.
struct Sequences {
  std::vector<int> first{0};  ///< of each sequence its first row; then the number of rows
  std::vector<int> ids;       ///< one a row
  std::vector<int> position;  ///< of the row in its sequence

  int count() const { return static_cast<int>(first.size()) - 1; }
  int rows() const { return first.back(); }
  int length(int sequence) const { return first[at(sequence) + 1] - first[at(sequence)]; }
  int begin(int sequence) const { return first[at(sequence)]; }
  void add(std::span<const int> tokens);

 private:
  static std::size_t at(int sequence) { return static_cast<std::size_t>(sequence); }
};

/// What one thread computes at once of a step: sentences, what is wanted of them, and how much each row
/// counts.
struct Shard {
  Sequences source, target;         ///< target: only for two stacks
  int first_example = 0;            ///< of the whole batch: names the streams of dropout
  std::vector<int> wanted;          ///< one a row of the last stack; −1: nothing
  std::vector<double> weight;       ///< of the row's cross-entropy in the loss
  std::vector<std::uint8_t> parts;  ///< bits: the parts of the loss that the row's word counts in
  std::vector<int> looks;           ///< one a row, or none where no part is of looks: Example::looks
  double look_weight = 0.0;         ///< of a look's cross-entropy in the loss
  std::size_t look_part = 0;        ///< the part of the loss that looks count in

  const Sequences& asked() const { return target.count() > 0 ? target : source; }
};

/// Rows of each part in a batch.
std::vector<int> rows_of_parts(std::span<const Example> examples, std::size_t n_parts);

/// `examples` in `n_shards` parts of about as many rows. A row weighs Σ over its parts of the part's share of
/// the weights divided by the rows that the whole batch has of it, so that the batch's loss is the mean of
/// the parts' mean cross-entropies.
std::vector<Shard> shards_of(std::span<const Example> examples, std::span<const LossPart> parts,
                             int n_shards);

}  // namespace headscope
