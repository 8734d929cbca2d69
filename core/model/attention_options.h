#pragma once

#include <cstdint>

#include "core/model/architecture.h"
#include "core/model/mask.h"

namespace headscope {

/// `queries` reproduces a common mistake, softmax over dim 0 as in seeds/1: rows do not sum to 1. The user
/// interface labels it as such.
enum class SoftmaxAxis { keys, queries };

/// How weights are computed from scores. A plain value.
struct AttentionOptions {
  bool scale = true;         ///< Whether scores are divided by √d_head.
  float temperature = 1.0F;  ///< τ > 0: scaled = raw / (√d_head · τ)
  SoftmaxAxis softmax = SoftmaxAxis::keys;
  float mask_value = MaskValue::minus_infinity;  ///< −∞ or finite.
  MaskSpec mask;  ///< Self-attention over the sentence (the source, with two stacks).
  /// The decoder's self-attention, with two stacks.
  MaskSpec target_mask = causal_mask();
  MaskSpec cross_mask;  ///< Cross-attention: queries from the target, keys from the source.
  /// The position of the first query of cross-attention among the keys, for causal masks and windows; e.g. N
  /// after a cache of N keys.
  int query_offset = 0;
  bool train = false;    ///< Dropout is applied only in training.
  float dropout = 0.1F;  ///< The dropout probability p.
  std::uint64_t dropout_seed = 0;

  bool has_dropout() const { return train && dropout > 0.0F; }
  bool operator==(const AttentionOptions&) const = default;
};

/// The mask of an attention.
inline const MaskSpec& mask_of(const AttentionOptions& options, Stacks stacks, Stack stack,
                               AttentionKind attention) {
  if (attention == AttentionKind::cross) return options.cross_mask;
  return stacks == Stacks::encoder_decoder && stack == Stack::decoder ? options.target_mask : options.mask;
}
inline MaskSpec& mask_of(AttentionOptions& options, Stacks stacks, Stack stack, AttentionKind attention) {
  if (attention == AttentionKind::cross) return options.cross_mask;
  return stacks == Stacks::encoder_decoder && stack == Stack::decoder ? options.target_mask : options.mask;
}

/// Range of the temperature in the window and on the command line.
inline constexpr float min_temperature = 0.01F;
inline constexpr float max_temperature = 100.0F;
/// The maximum absolute query offset.
inline constexpr int max_query_offset = 1 << 24;
/// The maximum dropout probability.
inline constexpr float max_dropout = 0.95F;

}  // namespace headscope
