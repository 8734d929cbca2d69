#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/part_effects.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/headline.h"

namespace headscope {

/// The prediction that the page explains. It belongs to the selected token and concerns the selected word if
/// that is a word of the model; otherwise, the likeliest one. Empty if the model does not predict words.
std::optional<Prediction> explained_prediction(const PageInputs& in);

/// How much each part of the model contributes to a prediction.
struct PredictionParts {
  std::optional<PartEffects> effects;  ///< Empty if they would take too long to compute.
  DirectParts direct;
  std::vector<LayerGuess> guesses;
};
/// The prediction that a page explains, and its pass.
struct ExplainedPrediction {
  std::shared_ptr<const Trace> trace;
  Prediction prediction;
  bool operator==(const ExplainedPrediction&) const = default;

  using Answer = PredictionParts;
  static constexpr Life life = Life::view;
  Slices<PredictionParts> answer(const std::atomic<bool>& stop) const;
};

/// Shows what each part of the model does to a prediction: the change in logit and probability when only that
/// part is switched off (part_effects()), and what it adds directly to the logit. Beside them stand the
/// likeliest words, the other parts of the logit, and what the model would predict after each layer. If there
/// are many parts, only those with the greatest effect are listed.
Page effects_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// What the prediction loses without the selected head, and which head matters more.
Headline effects_headline(const PageInputs& in, PageTools& tools);

/// Describes the effect of a part on the prediction in one sentence for a tooltip. Empty if it is not known
/// yet.
std::string said_of_effect(const PageInputs& in, PageTools& tools, const ModelPart& part);

/// The numbers of the page: "prediction", and for it the effects of all "heads" and of the "other_parts", the
/// guesses of the "layers", and, if the logit is a sum, its "parts" and the "sources" of what each head adds
/// directly. Fails if the model predicts no words.
PageNumbers effects_numbers(const PageInputs& in, PageTools& tools);

}  // namespace headscope
