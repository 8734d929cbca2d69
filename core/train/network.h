#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "core/model/parameters.h"
#include "core/train/loss.h"

namespace headscope {

class ScoreGradients;

/// Thrown by a step whose stop flag was set.
struct TrainingStopped {};

/// A model in the form that training computes: many sentences at once, storing what the derivatives need but
/// no stages. It computes the steps of the model's graph in order, and their gradients in
/// reverse order. Not thread-safe; use one network
/// for each thread. Scalar is float, or double to test the derivatives.
template <class Scalar>
class Network {
 public:
  /// `layout` must outlive the network, and so must `reached`. Every backward pass adds the gradients that
  /// reach the heads to `reached`. Null if they are not wanted.
  explicit Network(const ParameterLayout& layout, ScoreGradients* reached = nullptr);
  ~Network();

  /// Checks the flag before each layer. Once it is set, the functions below throw TrainingStopped. The flag
  /// must outlive the network.
  void stop_on(const std::atomic<bool>& flag);

  /// Returns the logits [rows of shard.asked(), vocabulary]. `dropout` is the share of attention weights to
  /// drop, which is 0 outside training; `stream` identifies its random numbers.
  const Rows<Scalar>& forward(const Shard& shard, const Scalar* parameters, float dropout = 0.0F,
                              std::uint64_t stream = 0);

  /// Calls forward(), computes the loss, and adds its gradient with respect to every parameter to
  /// `gradients`.
  Score forward_backward(const Shard& shard, std::size_t n_parts, const Scalar* parameters, Scalar* gradients,
                         float dropout = 0.0F, std::uint64_t stream = 0);

  /// Calls forward() without dropout and returns the score.
  Score evaluate(const Shard& shard, std::size_t n_parts, const Scalar* parameters);

 private:
  class Pass;
  std::unique_ptr<Pass> pass_;
};

}  // namespace headscope
