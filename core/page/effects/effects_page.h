#pragma once

#include <optional>
#include <string>

#include "core/engine/head_effects.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// The prediction that the page is about: of the selected token, of the selected word, or where that is none
/// of the model's, of the likeliest one. Nothing where the model predicts no words.
std::optional<Prediction> explained_prediction(const PageInputs& in);

/// What each head does to a prediction: Δ logit and Δ probability when it alone is switched off, and what it
/// adds to the logit by itself; beside them the likeliest words, the other parts of the logit, and what the
/// model would say after each layer. Of many heads those that change most.
Page effects_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// What a head does to the prediction, in a sentence: for a tooltip. Empty where it is not known yet.
std::string said_of_effect(const PageInputs& in, PageTools& tools, const HeadId& head);

}  // namespace headscope
