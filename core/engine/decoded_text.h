#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/trace/trace.h"

namespace headscope {

/// What one step of decoding came to.
struct DecodedToken {
  /// The greatest from the pass of all tokens at once, of all that leaves a layer, the last norm and the
  /// final linear layer.
  double difference = 0.0;
  std::optional<int> word;  ///< the likeliest next one; nothing without a final linear layer
  double probability = 0.0;
  std::int64_t cached_numbers = 0;  ///< of all layers, with this token's
  std::int64_t source_numbers = 0;  ///< of the source that cross-attention looks at
};

/// Decodes all tokens of a pass, one by one. There must be no reason_against_decoding(). Fewer tokens where
/// `stop` became true.
std::vector<DecodedToken> decoded_text(const Trace& trace, const std::atomic<bool>* stop = nullptr);

/// What one step computes and reads, by the shapes of the pass's weights.
struct DecodingWork {
  std::int64_t computed = 0;  ///< multiplications in products of matrices, for the new token alone
  std::int64_t again = 0;     ///< the same without a cache: the last stack for all tokens so far
  std::int64_t read = 0;      ///< numbers read from the cache
};
/// Every token counts all keys so far, as they are multiplied before a mask hides any, but those that a
/// sliding window has let go (kept_window()); with the state of linear attention, a step adds to it and asks
/// it. \param n_before tokens that were decoded before
DecodingWork decoding_work(const Trace& trace, int n_before);

}  // namespace headscope
