#pragma once

#include "core/train/sublayers.h"

namespace headscope {

/// Words to rows: the table's row, times √D where the architecture says so, plus the position's row.
template <class Scalar>
class EmbeddingSublayer {
 public:
  /// `layout` must outlive it.
  explicit EmbeddingSublayer(const ParameterLayout& layout) : layout_(layout) {}

  void forward(const TrainContext<Scalar>& context, const Sequences& sequences, Rows<Scalar>& out);
  /// Adds the gradients by the table and by learned positions.
  void backward(const TrainContext<Scalar>& context, const Sequences& sequences, const Rows<Scalar>& d_out);

 private:
  const Scalar* position_row(const TrainContext<Scalar>& context, int position) const;
  void prepare_waves(const Sequences& sequences);

  const ParameterLayout& layout_;
  Rows<Scalar> waves_;  ///< rows of sinusoidal or split positions
};

}  // namespace headscope
