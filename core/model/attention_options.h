#pragma once

#include <cstdint>

#include "core/model/architecture.h"
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
  float mask_value = MaskValue::minus_infinity;  ///< −∞ or finite
  MaskSpec mask;  ///< of self-attention over the sentence (with two stacks, the source)
  /// Of the decoder's self-attention, where there are two stacks.
  MaskSpec target_mask = causal_mask();
  MaskSpec cross_mask;  ///< of cross-attention: queries from the target, keys from the source
  /// Where the first query of cross-attention stands among the keys, for causal masks and windows: after a
  /// cache of N keys, at N.
  int query_offset = 0;
  bool train = false;    ///< dropout takes place only in training
  float dropout = 0.1F;  ///< share of the weights that it removes; the others are divided by 1 − p
  std::uint64_t dropout_seed = 0;

  bool drops() const { return train && dropout > 0.0F; }
  bool operator==(const AttentionOptions&) const = default;
};

/// The mask of one kind of attention.
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
/// As far as the first query may stand from the first key, either way.
inline constexpr int max_query_offset = 1 << 24;
/// Dropout may remove at most this share.
inline constexpr float max_dropout = 0.95F;

}  // namespace headscope
