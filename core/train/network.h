#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/model/parameters.h"
#include "core/slices.h"
#include "core/train/batch.h"

namespace headscope {

/// Thrown by a step when its stop flag is set.
struct TrainingStopped {};

/// A model for training: executes the steps of the model's graph for many sentences at once and
/// backpropagates in reverse order, keeping only what gradients need. Not thread-safe; use one network per
/// thread. Scalar is float, or double to test derivatives.
template <class Scalar>
class Network {
 public:
  /// `layout` and `score_gradients` must outlive the network. If `score_gradients` is not null, every
  /// backward pass adds the gradients at the heads to it.
  explicit Network(const ParameterLayout& layout, ScoreGradients* score_gradients = nullptr);
  ~Network();

  /// Once the flag is set, the functions below throw TrainingStopped before the next layer. The flag must
  /// outlive the network.
  void set_stop_flag(const std::atomic<bool>& flag);

  /// Returns the logits [rows of shard.last_stack(), vocabulary]. `dropout` is the dropout probability of
  /// attention weights, and `stream` its random stream.
  const RowMatrix<Scalar>& forward(const Shard& shard, const Scalar* parameters, float dropout = 0.0F,
                                   std::uint64_t stream = 0);

  /// Runs forward() and the backward pass, adding the gradients of all parameters to `gradients`.
  Score forward_backward(const Shard& shard, std::size_t n_parts, const Scalar* parameters, Scalar* gradients,
                         float dropout = 0.0F, std::uint64_t stream = 0);

  /// Runs forward() without dropout and returns the score.
  Score evaluate(const Shard& shard, std::size_t n_parts, const Scalar* parameters);

  /// Runs forward() without dropout, and the backward pass of one logit, whose gradients at heads and inputs
  /// go to `score_gradients`; those of parameters are not computed. Returns the logits of the row. A slice is
  /// about a layer. `shard` and `parameters` must outlive it.
  Slices<std::vector<Scalar>> logit_gradients(const Shard& shard, const Scalar* parameters, int row,
                                              int word);

 private:
  class Pass;
  std::unique_ptr<Pass> pass_;
};

}  // namespace headscope
