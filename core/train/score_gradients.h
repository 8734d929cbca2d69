#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/model/interventions.h"
#include "core/model/trained_model.h"
#include "core/result.h"
#include "core/train/attention.h"

namespace headscope {

/// What of the loss's gradient reaches the heads of a model, added up over the batches that a network goes
/// back through.
class ScoreGradients {
 public:
  explicit ScoreGradients(const Architecture& architecture);

  /// The first head's of an attention, the others' after it.
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
  double weights = 0.0;  ///< ‖∂ loss / ∂ weights‖
  double scores = 0.0;  ///< ‖∂ loss / ∂ scaled scores‖; by the products q · k it is this times the factor

  /// What softmax lets through; 0 where nothing reaches it.
  double passed() const { return weights > 0.0 ? scores / weights : 0.0; }
};

/// One way back from the loss.
struct GradientsReached {
  double loss = 0.0;                ///< nats
  std::vector<HeadGradient> heads;  ///< in the order of computation
};

/// With a model's weights and with those that its training began with, each with the scores multiplied by the
/// model's factor and by 1.
struct ScoreGradientStudy {
  int n_sentences = 0;
  GradientsReached divided, undivided;
  GradientsReached untrained_divided, untrained_undivided;
};

/// Sentences that the task never learned from, always the same.
inline constexpr int n_gradient_sentences = 64;

/// The loss is that of the task's words. Left out is what teaches a head where to look: it goes to the
/// weights past what softmax lets through, as softmax with cross-entropy gives w − one-hot. Nothing where
/// `stop` became true. Errors: a model of no task, or with other words than its task's; one that cannot be
/// trained.
Result<std::optional<ScoreGradientStudy>> score_gradient_study(const TrainedModel& model,
                                                               const std::atomic<bool>* stop = nullptr);

}  // namespace headscope
