#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/trace/trace.h"

namespace headscope {

/// A head of the last stack whose decoding is looked at.
struct DecodedPlace {
  std::shared_ptr<const Trace> trace;
  HeadId head;
  bool operator==(const DecodedPlace&) const = default;
};

/// What one step computed.
struct DecodedToken {
  std::vector<float> weights;       ///< of the head's new query: one for each key that is there
  std::vector<float> query;         ///< [K], rotated where positions rotate
  double difference = 0.0;          ///< greatest, from the full pass: of outputs, logits and these weights
  std::optional<int> word;          ///< the likeliest; nothing without a final linear layer
  double probability = 0.0;         ///< of that word
  std::int64_t cached_numbers = 0;  ///< of all layers' tokens, with the new one's
  std::int64_t source_numbers = 0;  ///< of the source that cross-attention looks at
};

/// A head while the tokens are decoded one by one.
struct DecodedHead {
  std::vector<DecodedToken> tokens;
  OwnedMatrix keys;       ///< [S, K] of the cache when all were decoded; a row never changes once it is there
  OwnedMatrix values;     ///< [S, V]
  bool is_cross = false;  ///< its keys are the source's, all there from the first token on
};

/// Decodes all tokens of a pass. There must be no reason_against_decoding(). Stops early, with fewer tokens,
/// where `stop` became true.
DecodedHead decoded_head(const DecodedPlace& place, const std::atomic<bool>* stop = nullptr);

/// Multiplications of one step in products of matrices, from the shapes of the pass's weights: what grows
/// with the tokens before is scores and averages of values.
struct DecodingWork {
  std::int64_t computed = 0;  ///< with the cache, for the new token alone
  std::int64_t again = 0;     ///< without a cache: the last stack for all tokens so far
  std::int64_t read = 0;      ///< numbers read from the cache instead
};
/// \param n_before tokens that were decoded before
DecodingWork decoding_work(const Trace& trace, int n_before);

}  // namespace headscope
