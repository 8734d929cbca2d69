#pragma once

#include <optional>

#include "core/measures/measure.h"

namespace headscope {

/// What heads are measured on: the sentence, random words that are repeated, or sentences of the task that
/// are never learned from.
enum class MeasuredOn { sentence, random, task };

/// One map of several heads.
enum class Combine { none, mean, max, rollout };

/// How the page of the heads orders, filters and combines them.
struct HeadsOptions {
  std::optional<HeadMeasure> sorted_by;  ///< the greatest first; nothing: in the model's order
  /// Leaves out heads below this, of what they are sorted by; else of their strongest role.
  float at_least = 0.0F;
  MeasuredOn measured_on = MeasuredOn::sentence;
  Combine combine = Combine::none;  ///< shown in place of the selected head's map
  DetectorOptions detector;         ///< of the scores of TransformerLens's head detector
  bool operator==(const HeadsOptions&) const = default;
};

}  // namespace headscope
