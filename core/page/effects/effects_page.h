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

/// The prediction that the page explains: at the selected token, of the selected word or, if the model does
/// not know that, of the likeliest one. Empty if the model does not predict words.
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
  static constexpr Lifetime life = Lifetime::view;
  Slices<PredictionParts> answer(const std::atomic<bool>& stop) const;
};

/// Shows the effect of each part of the model on a prediction: the change in logit and probability when only
/// that part is switched off (part_effects()), and what it adds directly to the logit. Also lists the
/// likeliest words, the other terms of the logit, and the prediction after each layer. Of many parts, only
/// those with the greatest effect are listed. Below, attribution by gradients stands beside attention, and
/// the circuits of the selected head (core/page/effects/attribution_section.h).
Page effects_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// What the prediction loses without the selected head, and which head matters more.
Headline effects_headline(const PageInputs& in, PageTools& tools);

/// A tooltip sentence about the effect of a part on the prediction. Empty while it is being computed.
std::string describe_effect(const PageInputs& in, PageTools& tools, const ModelPart& part);

/// A tooltip sentence about a cell of the QK circuit. Empty for other tables.
std::string describe_circuit(const PageInputs& in, PageTools& tools, const std::string& table,
                             CellIndex cell);

/// The numbers of the page: "prediction", and for it the effects of all "heads" and of the "other_parts", the
/// guesses of the "layers", and, if the logit is a sum, its "parts" and the "sources" of what each head adds
/// directly; and the attribution_tables(). Fails if the model predicts no words.
PageNumbers effects_numbers(const PageInputs& in, PageTools& tools);

}  // namespace headscope
