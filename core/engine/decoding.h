#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/pass.h"
#include "core/trace/trace.h"

namespace headscope {

/// Why the tokens of a pass cannot be decoded one by one with a cache, so that the pass's own numbers come
/// out: what to change, as sentences. Empty where they can.
std::string reason_against_decoding(const Trace& trace);

/// W, where self-attention of layers that have a sliding window keeps only the last W tokens, as no later one
/// sees those before. Nothing: it keeps all, as there is no such layer, first keys stay visible, or a hidden
/// key could have weight under a mask value that is a number.
std::optional<int> kept_window(const Trace& trace);

/// What is kept of one attention: keys and values as it uses them, where keys are rotated where positions
/// rotate; with a latent, its normalised rows and the keys that all heads share before they are rotated, of
/// which each step makes all keys and values again.
struct CachedAttention {
  int n_rows = 0;
  int n_let_go = 0;  ///< tokens before the first row
  bool is_latent = false;
  int first_width = 0, second_width = 0;
  std::vector<float> first;   ///< [room for all rows, Hₖ·K] keys; with a latent [·, d_c] its rows
  std::vector<float> second;  ///< [room for all rows, Hₖ·V] values; with a latent [·, d_R] shared keys

  std::int64_t numbers() const { return std::int64_t{n_rows} * (first_width + second_width); }
};

/// What linear attention keeps of all tokens in place of their keys and values, as AttentionBuffers::state
/// has it.
using AttentionState = std::vector<float>;

/// The last stack of a pass once more, token by token. A step computes one row of every layer, of its
/// embedding, queries, keys and values up to the prediction, and reads the keys and values of the tokens
/// before, or the latent rows that it makes these from, from a cache, or their sums from a state where
/// self-attention is linear. What the encoder of two stacks computed is the pass's, and its keys and values
/// are computed in the first step. Every part is computed by the functions of the pass.
class Decoding {
 public:
  /// There must be no reason against it. The trace and the pool must outlive it.
  Decoding(const Trace& trace, TaskPool& pool);
  ~Decoding();
  Decoding(const Decoding&) = delete;
  Decoding& operator=(const Decoding&) = delete;

  /// Tokens that there are to decode: without the padding at a sequence's end.
  int n_tokens() const { return n_tokens_; }
  int n_decoded() const { return n_decoded_; }
  /// Decodes the next token; there must be one.
  void step();
  /// The numbers of the newest token: all parts have one row. Keys and values are those of all tokens; with a
  /// state, the token's own, and there are no scores and weights.
  const PassBuffers& newest() const { return *newest_; }
  /// Numbers that are kept in all layers: of the last stack's tokens, and of the source that cross-attention
  /// looks at.
  std::int64_t cached_of_tokens() const;
  std::int64_t cached_of_source() const;

 private:
  /// Tokens that no later one sees in layers with a sliding window, once the next is decoded.
  int n_unseen() const;
  void take_cached(PassBuffers& buffers);

  const Trace& trace_;
  TaskPool& pool_;
  int n_tokens_ = 0;
  int n_decoded_ = 0;
  std::optional<int> window_;
  std::vector<CachedAttention> self_, cross_;  ///< of each layer; empty where there is no such attention
  std::vector<AttentionState> states_;         ///< of each layer; empty unless self-attention is linear
  std::unique_ptr<PassBuffers> newest_;
};

}  // namespace headscope
