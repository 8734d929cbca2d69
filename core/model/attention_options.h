#pragma once

#include "core/model/mask.h"

namespace headscope {

/// `queries` is the slip of seeds/1 (softmax over dim 0): a labelled common mistake, after which rows no
/// longer sum to 1.
enum class SoftmaxAxis { keys, queries };

/// How scores become weights. A plain value.
struct AttentionOptions {
  bool scale = true;         ///< divide by √d_head
  float temperature = 1.0F;  ///< τ > 0: scaled = raw / (√d_head · τ)
  SoftmaxAxis softmax = SoftmaxAxis::keys;
  MaskValue mask_value = MaskValue::minus_infinity;
  MaskSpec mask;
  bool operator==(const AttentionOptions&) const = default;
};

/// Range of the temperature in the window and on the command line.
inline constexpr float min_temperature = 0.01F;
inline constexpr float max_temperature = 100.0F;

}  // namespace headscope
