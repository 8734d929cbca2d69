#pragma once

#include <optional>

#include "core/measures/measure.h"

namespace headscope {

/// The text on which heads are measured: the sentence, repeated random words, or sentences of the task that
/// are never used for training.
enum class MeasuredOn { sentence, random, task };

/// The map that combines several heads.
enum class Combine { none, mean, max, rollout };

/// How the page of the heads orders, filters and combines them.
struct HeadsOptions {
  /// The measure that orders the heads, greatest first. The order is the model's if this is nullopt.
  std::optional<HeadMeasure> sorted_by;
  /// Leaves out heads whose value is below this: the value of `sorted_by` or, without it, that of the
  /// strongest role.
  float at_least = 0.0F;
  MeasuredOn measured_on = MeasuredOn::sentence;
  Combine combine = Combine::none;  ///< The combined map to show in place of the selected head's map.
  DetectorOptions detector;         ///< The options of the scores of TransformerLens's head detector.
  bool operator==(const HeadsOptions&) const = default;
};

}  // namespace headscope
