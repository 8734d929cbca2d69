#pragma once

#include "core/train/sublayers.h"

namespace headscope {

/// Turns words into rows: the row of the table, times √D if the architecture says so, plus the row of the
/// position.
template <class Scalar>
class EmbeddingSublayer {
 public:
  /// `layout` must outlive this object.
  explicit EmbeddingSublayer(const ParameterLayout& layout) : layout_(layout) {}

  void forward(const TrainContext<Scalar>& context, const Sequences& sequences, Rows<Scalar>& out);
  /// Adds the gradients with respect to the table and to learned positions.
  void backward(const TrainContext<Scalar>& context, const Sequences& sequences, const Rows<Scalar>& d_out);

 private:
  const Scalar* position_row(const TrainContext<Scalar>& context, int position) const;
  void prepare_waves(const Sequences& sequences);

  const ParameterLayout& layout_;
  Rows<Scalar> waves_;  ///< The rows of sinusoidal or split positions.
};

}  // namespace headscope
