#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/pass.h"
#include "core/trace/trace.h"

namespace headscope {

/// Why the tokens of a pass cannot be decoded one by one.
struct ReasonAgainstDecoding {
  std::string text;          ///< What to change, in sentences. Empty if they can be decoded.
  bool looks_ahead = false;  ///< A token sees later ones, which the causal mask would hide.
  bool empty() const { return text.empty(); }
};

/// Why decoding the tokens of a pass one by one with a cache would not give the pass's own numbers. Empty if
/// it would.
ReasonAgainstDecoding reason_against_decoding(const Trace& trace);

/// Whether tokens after the last one of a pass can be decoded as well, with the numbers of a pass over all
/// of them: the pass's own tokens can, and rules alone say what a later token sees.
bool can_decode_on(const Trace& trace);

/// W, if self-attention in layers with a sliding window keeps only the last W tokens because no later token
/// sees earlier ones. Empty if it keeps all tokens: there is no such layer, leading keys stay visible, or a
/// hidden key could have weight under a finite mask value.
std::optional<int> kept_window(const Trace& trace);

/// What is kept of one attention: its keys, rotated if positions are rotary, and its values. With a latent,
/// these are instead the normalised latent rows and the shared keys before rotation, from which each step
/// makes all keys and values again.
struct CachedAttention {
  int n_rows = 0;
  int n_let_go = 0;               ///< The number of tokens before the first row.
  std::array<StageId, 2> stages;  ///< The stages of `first` and `second`.
  int first_width = 0, second_width = 0;
  std::vector<float> first;  ///< [at least n_rows, Hₖ·K] The keys; with a latent [·, d_c] its rows.
  /// [at least n_rows, Hₖ·V] The values; with a latent [·, d_R] the shared keys.
  std::vector<float> second;

  std::int64_t numbers() const { return std::int64_t{n_rows} * (first_width + second_width); }
};

/// What linear attention keeps of all tokens in place of their keys and values, laid out as in
/// AttentionBuffers::state.
using AttentionState = std::vector<float>;

/// Computes the last stack of a pass again, token by token. A step computes one row of every layer, from the
/// embedding and its queries, keys and values to the prediction. It reads the keys and values of the previous
/// tokens (or the latent rows from which it makes them) from a cache, or their sums from a state if
/// self-attention is linear. With two stacks, the encoder's output is the pass's, and its keys and values are
/// computed in the first step. Every stage is computed as in the pass.
class Decoding {
 public:
  /// reason_against_decoding() must be empty. The trace and the pool must outlive this object.
  Decoding(const Trace& trace, TaskPool& pool);
  ~Decoding();
  Decoding(const Decoding&) = delete;
  Decoding& operator=(const Decoding&) = delete;

  /// The number of the pass's tokens, without the padding at the end of a sequence.
  int n_tokens() const { return n_tokens_; }
  int n_decoded() const { return n_decoded_; }
  /// Fills the cache up to the pass's last token, from the pass itself if it kept keys and values. No token
  /// may have been decoded.
  void take_all_but_last();
  /// Decodes the next token of the pass. There must be one.
  void step();
  /// Decodes a token after those of the pass. can_decode_on() must hold.
  void step(const Token& token);
  /// The numbers of the newest token. All parts have one row, except for keys and values, which are those of
  /// all tokens. With a state, keys and values are the token's own, and there are no scores and weights.
  const PassBuffers& newest() const { return *newest_; }
  /// How many numbers are kept in all layers: of the last stack's tokens, and of the source that
  /// cross-attention reads.
  std::int64_t cached_of_tokens() const;
  std::int64_t cached_of_source() const;

 private:
  /// The number of tokens that no later token sees in layers with a sliding window once the next one is
  /// decoded.
  int n_unseen() const;
  void take_cached(PassBuffers& buffers);

  const Trace& trace_;
  TaskPool& pool_;
  int n_tokens_ = 0;
  int n_decoded_ = 0;
  std::optional<int> window_;
  std::vector<CachedAttention> self_, cross_;  ///< One per layer; empty if there is no such attention.
  std::vector<AttentionState> states_;         ///< One per layer; empty unless self-attention is linear.
  std::unique_ptr<PassBuffers> newest_;
};

}  // namespace headscope
