#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/pass.h"
#include "core/slices.h"
#include "core/trace/trace.h"

namespace headscope {

/// Why the tokens of a pass cannot be decoded one by one.
struct DecodingObstacle {
  std::string text;          ///< What to change, in sentences. Empty if they can be decoded.
  bool looks_ahead = false;  ///< A token sees later ones, which a causal mask would hide.
  bool empty() const { return text.empty(); }
};

/// Why decoding the tokens of a pass one by one with a cache would not reproduce the pass's numbers. Empty if
/// it would.
DecodingObstacle decoding_obstacle(const Trace& trace);

/// Whether tokens after those of a pass can be decoded with the numbers of a pass over all of them: its own
/// tokens can, and only rules determine what later tokens see.
bool can_decode_further(const Trace& trace);

/// The number W of last tokens that self-attention keeps in layers with a sliding window, because later
/// tokens see no earlier ones. Empty if it keeps all: there is no such layer, leading keys stay visible, or a
/// hidden key could have weight under a finite mask value.
std::optional<int> kept_window(const Trace& trace);

/// The cache of one attention: its keys, rotated if positions are rotary, and its values. With a latent, the
/// normalised latent rows and the shared keys before rotation instead, from which each step recomputes all
/// keys and values.
struct CachedAttention {
  struct CachedStage {
    StageId stage;
    int width = 0;  ///< Hₖ·K of keys, Hₖ·V of values, d_c of latent rows, d_R of shared keys
    std::vector<float> rows = {};  ///< [at least n_rows, width]
  };
  int n_rows = 0;
  int n_evicted = 0;  ///< The number of tokens before the first row.
  std::vector<CachedStage> stages = {};

  std::int64_t numbers() const {
    std::int64_t width = 0;
    for (const CachedStage& each : stages) width += each.width;
    return width * n_rows;
  }
};

/// The state that linear attention keeps in place of keys and values, laid out as in AttentionBuffers::state.
using AttentionState = std::vector<float>;

/// Recomputes the last stack of a pass token by token. A step computes one row of every layer, from the
/// embedding to the prediction. It reads the keys and values of previous tokens (or the latent rows that they
/// are made from) from a cache, or their sums from a state if self-attention is linear. With two stacks, it
/// uses the pass's encoder output, whose keys and values the first step computes. Every stage is computed as
/// in the pass.
class Decoding {
 public:
  /// decoding_obstacle() must be empty. The trace and the pool must outlive this object.
  Decoding(const Trace& trace, ThreadPool& pool);
  ~Decoding();
  Decoding(const Decoding&) = delete;
  Decoding& operator=(const Decoding&) = delete;

  /// The number of the pass's tokens, without the padding at the end of a sequence.
  int n_tokens() const { return n_tokens_; }
  int n_decoded() const { return n_decoded_; }
  /// Fills the cache with all but the pass's last token, from the pass itself if it kept keys and values. No
  /// token may have been decoded yet.
  void prefill();
  /// Decodes the next token of the pass. There must be one.
  void step();
  /// Decodes a token after those of the pass. can_decode_further() must hold.
  void step(const Token& token);
  /// The numbers of the newest token. All buffers have one row, except keys and values, which have those of
  /// all tokens. With a state, keys and values are the token's own, and there are no scores and weights.
  const PassBuffers& newest() const { return *newest_; }
  /// The number of cached numbers in all layers: of the last stack's tokens, and of the source that
  /// cross-attention reads.
  std::int64_t cached_of_tokens() const;
  std::int64_t cached_of_source() const;

 private:
  /// The number of tokens that no later token sees in layers with a sliding window once the next one is
  /// decoded.
  int n_unseen() const;
  void load_cached(PassBuffers& buffers);

  const Trace& trace_;
  ThreadPool& pool_;
  int n_tokens_ = 0;
  int n_decoded_ = 0;
  std::optional<int> window_;
  std::vector<CachedAttention> self_, cross_;  ///< One per layer; empty if there is no such attention.
  std::vector<AttentionState> states_;         ///< One per layer; empty unless self-attention is linear.
  std::unique_ptr<PassBuffers> newest_;
};

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
