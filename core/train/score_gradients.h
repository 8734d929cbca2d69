#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/model/interventions.h"
#include "core/model/trained_model.h"
#include "core/result.h"
#include "core/slices.h"
#include "core/train/attention.h"

namespace headscope {

/// The gradient norms at one head, over all visible cells of all sentences.
struct HeadGradient {
  HeadId head;
  double weights = 0.0;  ///< ‖∂ loss / ∂ weights‖.
  /// ‖∂ loss / ∂ scaled scores‖. The gradient with respect to the products q · k is this times the factor.
  double scores = 0.0;

  /// The ratio of the two norms: how much of the gradient passes through softmax. 0 if none reaches it.
  double softmax_ratio() const { return weights > 0.0 ? scores / weights : 0.0; }
};

/// The gradients over all sentences, for one set of weights and one score factor.
struct GradientNorms {
  double loss = 0.0;                ///< In nats.
  std::vector<HeadGradient> heads;  ///< In the order of computation.
};

/// The gradients with the trained and the initial weights, each with the model's score factor (divided) and
/// with a factor of 1 (undivided).
struct ScoreGradientStudy {
  GradientNorms divided, undivided;
  GradientNorms untrained_divided, untrained_undivided;
  int steps = 0;  ///< The training steps of the model.
};

/// The number of sentences, always the same held-out ones.
inline constexpr int n_gradient_sentences = 64;

/// Measures how gradients pass through softmax. Excludes the attention loss, whose gradient w − one-hot
/// bypasses the derivative of softmax. A slice is a part of the sentences. Fails if the model has no task,
/// has another vocabulary than its task, or cannot be trained.
Slices<Result<ScoreGradientStudy>> score_gradient_study(const TrainedModel& model);

}  // namespace headscope
