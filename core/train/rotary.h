#pragma once

#include <vector>

#include "core/model/rotary.h"
#include "core/train/attention.h"
#include "core/train/rows.h"

namespace headscope {

/// The cosines and sines of rotary positions, which all layers, heads and steps share.
template <class Scalar>
class TurnTables {
 public:
  /// The rotation of a plan's pairs, and a table with a row for at least `n_positions` positions: the cosines
  /// of all pairs, times YaRN's amplitude, then the sines. Valid until the next call.
  struct Table {
    Rotary rotary;
    RotaryTurns turns;
    Rows<Scalar> numbers;
  };
  const Table& of(const HeadPlan& plan, int n_positions);

 private:
  /// One table for each rotation: layers with a sliding window may have another one than global layers.
  std::vector<Table> tables_;
};

/// Rotates the pairs of dimensions of every head by the angle of their position, or back if `direction` is
/// −1. YaRN's amplitude applies in both directions, because the backward rotation is the transpose that
/// gradients need. Does nothing if the plan has no rotary positions. It is not compiled for each instruction
/// set, because GCC fuses this pattern of products even when told not to.
template <class Scalar>
void turn(const HeadPlan& plan, const Sequences& sequences, TurnTables<Scalar>& tables, Rows<Scalar>& rows,
          Scalar direction);

}  // namespace headscope
