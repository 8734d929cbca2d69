#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/engine/head_effects.h"
#include "core/trace/trace.h"

namespace headscope {

/// What a head does to a prediction, as far as it is known.
struct HeadLine {
  HeadId head;
  std::optional<double> logit, probability, direct;
  bool is_off = false;  ///< by an intervention: there is nothing to be switched off
};

/// Whether an intervention switches a head of the pass off.
bool is_off(const Trace& trace, const HeadId& head);

/// Of every head of the model, in its order. `effects` may be null: they are not known.
std::vector<HeadLine> lines_of(const Trace& trace, const HeadEffects* effects, const DirectParts& direct);

/// The `most` that change the prediction most, or add most to it; all in the model's order where they fit.
std::vector<HeadLine> shown_lines(std::vector<HeadLine> lines, std::size_t most);

}  // namespace headscope
