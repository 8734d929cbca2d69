#pragma once

#include <vector>

#include "core/model/rotary.h"
#include "core/train/attention.h"
#include "core/train/rows.h"

namespace headscope {

/// Cached cosines and sines of rotary positions, shared by all layers, heads and steps.
template <class Scalar>
class RotaryTables {
 public:
  /// The cosines of all pairs, then the sines, times YaRN's amplitude, with a row for each position.
  struct Table {
    Rotary rotary;
    RotaryFrequencies turns;
    RowMatrix<Scalar> numbers;
  };
  const Table& of(const HeadPlan& plan, int n_positions);

 private:
  /// One table per rotation, since layers with a sliding window may differ from global ones.
  std::vector<Table> tables_;
};

/// Rotates all heads by their positions or, if `direction` is −1, applies the transpose for gradients (which
/// includes YaRN's amplitude). Does nothing if the plan has no rotary positions. Not compiled per instruction
/// set, because GCC fuses these products even when told not to.
template <class Scalar>
void apply_rotary(const HeadPlan& plan, const Sequences& sequences, RotaryTables<Scalar>& tables,
                  RowMatrix<Scalar>& rows, Scalar direction);

}  // namespace headscope
