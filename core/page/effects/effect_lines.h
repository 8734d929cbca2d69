#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/engine/head_effects.h"
#include "core/trace/trace.h"

namespace headscope {

/// The effect of a head on a prediction. Values that are not known are empty.
struct HeadLine {
  HeadId head;
  std::optional<double> logit, probability, direct;
  /// An intervention has switched the head off, so switching it off has no further effect.
  bool is_off = false;
};

/// Whether an intervention switches off a head of the pass.
bool is_off(const Trace& trace, const HeadId& head);

/// One line for each head, in the order of the model. `effects` is null if they are not known.
std::vector<HeadLine> lines_of(const Trace& trace, const HeadEffects* effects, const DirectParts& direct);

/// The `most` heads that change the prediction most or, if that is not known, add most to it. Returns all
/// lines in their order if there are no more than `most`.
std::vector<HeadLine> shown_lines(std::vector<HeadLine> lines, std::size_t most);

}  // namespace headscope
