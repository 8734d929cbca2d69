#pragma once

#include <cstdint>

#include "core/model/architecture.h"
#include "core/model/mask.h"

namespace headscope {

/// `queries` is the mistake of seeds/1, softmax over dim 0. It is a common one and labelled as such: rows no
/// longer sum to 1.
enum class SoftmaxAxis { keys, queries };

/// How scores become weights. A plain value.
struct AttentionOptions {
  bool scale = true;         ///< Whether scores are divided by √d_head.
  float temperature = 1.0F;  ///< τ > 0: scaled = raw / (√d_head · τ)
  SoftmaxAxis softmax = SoftmaxAxis::keys;
  float mask_value = MaskValue::minus_infinity;  ///< −∞ or finite.
  MaskSpec mask;  ///< For self-attention over the sentence (with two stacks, the source).
  /// For the decoder's self-attention, if there are two stacks.
  MaskSpec target_mask = causal_mask();
  MaskSpec cross_mask;  ///< For cross-attention, with queries from the target and keys from the source.
  /// The place of the first query of cross-attention among the keys, for causal masks and windows. After a
  /// cache of N keys it is N.
  int query_offset = 0;
  bool train = false;    ///< Dropout is applied only in training.
  float dropout = 0.1F;  ///< The share of the weights that dropout removes; the others are divided by 1 − p.
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
/// The largest distance between the first query and the first key, in either direction.
inline constexpr int max_query_offset = 1 << 24;
/// Dropout may remove at most this share.
inline constexpr float max_dropout = 0.95F;

}  // namespace headscope
