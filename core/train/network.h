#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "core/model/parameters.h"
#include "core/train/loss.h"

namespace headscope {

class ScoreGradients;

/// Thrown from within a step whose flag was set.
struct TrainingStopped {};

/// A model as training computes it: many sentences at once, keeping what the derivatives need but no stages.
/// The backward code of each part is next to its forward code. Not thread-safe: one for each thread. Scalar
/// is float, or double to test the derivatives.
template <class Scalar>
class Network {
 public:
  /// `layout` must outlive it, and so must `reached`, to which every way back adds what of the loss's
  /// gradient reaches the heads; null: nobody asks.
  explicit Network(const ParameterLayout& layout, ScoreGradients* reached = nullptr);
  ~Network();

  /// The flag is checked before each layer; once it is set, the functions below throw TrainingStopped. It
  /// must outlive the network.
  void stop_on(const std::atomic<bool>& flag);

  /// Logits [rows of shard.asked(), vocabulary] of a shard. `dropout`: the share of attention weights that is
  /// dropped, 0 outside training; `stream` names its random numbers.
  const Rows<Scalar>& forward(const Shard& shard, const Scalar* parameters, float dropout = 0.0F,
                              std::uint64_t stream = 0);

  /// forward(), the loss, and its gradient by every parameter, which is added to `gradients`.
  Score forward_backward(const Shard& shard, std::size_t n_parts, const Scalar* parameters, Scalar* gradients,
                         float dropout = 0.0F, std::uint64_t stream = 0);

  /// forward() without dropout and its score.
  Score evaluate(const Shard& shard, std::size_t n_parts, const Scalar* parameters);

 private:
  class Pass;
  std::unique_ptr<Pass> pass_;
};

}  // namespace headscope
