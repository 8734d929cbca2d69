#pragma once

#include <cstddef>
#include <vector>

#include "core/model/interventions.h"
#include "core/model/trained_model.h"
#include "core/result.h"
#include "core/slices.h"
#include "core/train/attention.h"

namespace headscope {

/// Accumulates the gradients of the loss that reach the heads of a model, over all batches for which a
/// network computes the backward pass.
class ScoreGradients {
 public:
  explicit ScoreGradients(const Architecture& architecture);

  /// Returns the sums of the first head of an attention; those of the other heads follow it.
  ScoreGradientSums* heads_of(Stack stack, AttentionKind kind, int layer);
  const ScoreGradientSums& of(const HeadId& head) const;

 private:
  std::size_t index(Stack stack, AttentionKind kind, int layer) const;

  std::size_t n_layers_, n_heads_;
  std::vector<ScoreGradientSums> sums_;
};

/// The norms of the loss's gradient at one head, over all visible cells of all sentences.
struct HeadGradient {
  HeadId head;
  double weights = 0.0;  ///< ‖∂ loss / ∂ weights‖.
  /// ‖∂ loss / ∂ scaled scores‖. The gradient with respect to the products q · k is this times the factor.
  double scores = 0.0;

  /// Returns the share of the gradient that passes through softmax, or 0 if none reaches it.
  double passed() const { return weights > 0.0 ? scores / weights : 0.0; }
};

/// The results of the backward passes over all sentences with one set of weights and one factor.
struct GradientsReached {
  double loss = 0.0;                ///< In nats.
  std::vector<HeadGradient> heads;  ///< In the order of computation.
};

/// The gradients with the model's weights and with the weights its training began with, each with the scores
/// multiplied by the model's factor and by 1.
struct ScoreGradientStudy {
  int n_sentences = 0;
  GradientsReached divided, undivided;
  GradientsReached untrained_divided, untrained_undivided;
};

/// The number of sentences. They are always the same ones, from those that the task never trains on.
inline constexpr int n_gradient_sentences = 64;

/// Computes the gradients of the loss on the task's words. The loss that teaches a head where to look is left
/// out, because its gradient does not pass through the softmax's derivative: softmax with cross-entropy gives
/// w − one-hot. A slice is a part of the sentences. Errors: the model has no task, its words differ from
/// those of its task, or it cannot be trained.
Slices<Result<ScoreGradientStudy>> score_gradient_study(const TrainedModel& model);

}  // namespace headscope
