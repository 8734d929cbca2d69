#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/slices.h"
#include "core/trace/trace.h"

namespace headscope {

/// The result of one step of decoding.
struct DecodedToken {
  /// The maximum difference from the pass over all tokens at once, over the outputs of the layers, the last
  /// norm and the final linear layer.
  double difference = 0.0;
  std::optional<int> word;  ///< The likeliest next word. Empty without a final linear layer.
  double probability = 0.0;
  std::int64_t cached_numbers = 0;  ///< For all layers, including this token.
  std::int64_t source_numbers = 0;  ///< For the source that cross-attention reads.
};

/// Decodes all tokens of a pass, one by one; a slice is one token. decoding_obstacle() must be empty.
Slices<std::vector<DecodedToken>> decoded_text(const Trace& trace);

/// The work of one step, derived from the shapes of the pass's weights.
struct DecodingWork {
  std::int64_t computed = 0;  ///< Multiplications in matrix products, for the new token alone.
  std::int64_t again = 0;     ///< The same without a cache: the last stack for all tokens so far.
  std::int64_t read = 0;      ///< Numbers that are read from the cache.
};
/// The work of the step after `n_before` decoded tokens. Counts all keys so far, which are multiplied before
/// a mask hides any, except for those that a sliding window has dropped (kept_window()). With linear
/// attention, a step updates and reads the state.
DecodingWork decoding_work(const Trace& trace, int n_before);

}  // namespace headscope
