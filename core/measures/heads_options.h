#pragma once

#include <optional>

#include "core/measures/measure.h"

namespace headscope {

/// The text that heads are measured on: the sentence, repeated random words, or held-out sentences of the
/// task.
enum class MeasuredOn { sentence, random, task };

/// The map that combines several heads.
enum class Combine { none, mean, max, rollout };

/// How the heads page sorts, filters and combines heads.
struct HeadsOptions {
  /// The measure to sort by, descending. If unset, in model order.
  std::optional<HeadMeasure> sorted_by;
  /// Hides heads whose value of `sorted_by`, or else of their strongest role, is below this.
  float min_value = 0.0F;
  MeasuredOn measured_on = MeasuredOn::sentence;
  Combine combine = Combine::none;  ///< Replaces the map of the selected head
  DetectorOptions detector;         ///< Options of TransformerLens's head detector
  bool operator==(const HeadsOptions&) const = default;
};

}  // namespace headscope
