#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <vector>

#include "core/model/attention.h"
#include "core/tensor/aligned_buffer.h"

namespace headscope {

/// What a pass keeps. The rest is computed again, to the same numbers, when it is looked at: maps from
/// queries and keys (HeadMaps), a layer from its input and the outputs of its heads (compute_layer).
enum class Kept {
  everything,
  no_maps,
  layer_inputs  ///< and the outputs of the heads, without which the whole attention would be computed again
};

/// Sizes of one forward pass.
struct PassShape {
  Architecture architecture;
  int n_source = 0;                         ///< tokens of the first stack
  int n_target = 0;                         ///< tokens of the decoder, where there are two stacks
  int vocabulary = 0;                       ///< columns of the logits; 0 without a final linear layer
  bool mask_changes_scores = false;         ///< of self-attention over the sentence
  bool target_mask_changes_scores = false;  ///< of the decoder's self-attention, with two stacks
  bool cross_mask_changes_scores = false;
  bool mask_hides = false;  ///< of self-attention over the sentence: some cells, by −∞
  bool target_mask_hides = false;
  bool cross_mask_hides = false;
  bool drops = false;
  /// Tokens of the last stack before these: its keys and values of them, and those of the source in
  /// cross-attention, are there already.
  int n_cached = 0;
  /// Of these, the first that self-attention of layers with a sliding window keeps no more.
  int n_let_go = 0;
  /// With a cache: self-attention, which is linear, reads the state of the tokens before in place of their
  /// keys.
  bool reads_state = false;
  bool decodes = false;          ///< the last stack alone: of cross-attention, PassInputs::memory
  bool gives_input = false;      ///< of a stack, which then is not the sum of what it would be made of
  bool edits_projected = false;  ///< rows of `projected`: without an output projection it is a copy
  Kept kept = Kept::everything;

  int n_tokens(Stack stack) const;
  AttentionShape attention(Stack stack, AttentionKind kind, int layer) const;
  std::size_t floats() const;       ///< memory of what a pass keeps, in floats
  std::size_t peak_floats() const;  ///< the same while it is computed
};

/// The parts around a sublayer. Null if the architecture has no such part.
struct SublayerBuffers {
  float* norm = nullptr;         ///< [T, D] norm before the sublayer (Norm::pre, Norm::both)
  float* output_norm = nullptr;  ///< [T, D] norm of its output (Norm::both)
  float* residual = nullptr;     ///< [T, D] sublayer's input + its output, or that norm
  float* normed = nullptr;       ///< [T, D] norm after that (Norm::post)
};

struct FeedForwardBuffers {
  float* hidden = nullptr;     ///< [T, d_ff]
  float* activated = nullptr;  ///< [T, d_ff]
  float* up = nullptr;         ///< [T, d_ff]; null where it is not gated
  float* gated = nullptr;      ///< [T, d_ff]: activated · up; `activated` itself where it is not gated
  float* output = nullptr;     ///< [T, D]
};

struct LayerBuffers {
  int n_tokens = 0;              ///< T
  const float* input = nullptr;  ///< [T, D]: the layer before, or the stack's input
  AttentionBuffers self;         ///< without a shape where there is no self-attention
  SublayerBuffers around_self;
  AttentionBuffers cross;  ///< without a shape where there is no cross-attention
  SublayerBuffers around_cross;
  FeedForwardBuffers feed_forward;
  SublayerBuffers around_feed_forward;
  const float* output = nullptr;  ///< [T, layer_width]: the last part that there is
  float* kept_output = nullptr;   ///< where that is copied to; null where it stays where it is
};

struct StackBuffers {
  int n_tokens = 0;
  float* embedding = nullptr;  ///< [T, E]
  float* positions = nullptr;  ///< [T, E]; null where no rows are added
  float* segments = nullptr;   ///< [T, E]; null without segments
  /// [T, E] the sum of these, which is normalised, projected or both before it is the input; null where it is
  /// the input itself.
  float* sum = nullptr;
  float* sum_normed = nullptr;  ///< [T, E]; null without a norm of the sum
  float* input = nullptr;  ///< [T, D]; `embedding` itself where nothing is done to it and it is not given
  std::vector<LayerBuffers> layers;  ///< empty where the model has no such stack
  float* normed = nullptr;           ///< [T, D] norm after the last layer (Norm::pre, Norm::both)
  const float* output = nullptr;     ///< [T, layer_width]: that, or what leaves the last layer
};

/// Between the last stack and the final linear layer; null without such parts.
struct OutputTransformBuffers {
  float* hidden = nullptr;     ///< [T, E]
  float* activated = nullptr;  ///< [T, E]
  float* output = nullptr;     ///< [T, E] normalised
};

/// A layer in memory of its own.
struct WholeLayer {
  AlignedBuffer memory;
  LayerBuffers buffers;
};

/// The numbers of one pass that it keeps, in one block of memory that a later pass may take over. Parts that
/// would only repeat another share its address.
struct PassBuffers {
  PassBuffers(const PassShape& shape, AlignedBuffer memory);

  PassShape shape;
  AlignedBuffer memory;
  StackBuffers encoder, decoder;
  OutputTransformBuffers transform;
  float* logits = nullptr;         ///< [T, vocabulary], T of the last stack
  float* probabilities = nullptr;  ///< [T, vocabulary]

  const StackBuffers& stack(Stack which) const { return which == Stack::encoder ? encoder : decoder; }
};

/// The most that a pass of these sizes can keep within so much memory; the least if nothing fits. With
/// softmax over queries, whose sums need whole maps, a pass must keep everything.
Kept most_kept(PassShape shape, std::size_t max_floats);

/// Memory for every part of a layer, around what the pass keeps of it: its input and the outputs of its
/// heads. Where it is only passed through, parts that nothing needs later may share their memory.
WholeLayer whole_layer(const PassShape& shape, Stack stack, int layer, const LayerBuffers& kept,
                       bool is_passed_through);

/// The masks of a pass, combined, and what positions add to the scores of self-attention by distance.
struct PassMasks {
  CombinedMask source;  ///< of self-attention over the sentence
  CombinedMask target;  ///< of the decoder's self-attention, with two stacks
  CombinedMask cross;
  /// The same of the layers that have a sliding window; without a size where no layer has one.
  CombinedMask sliding_source, sliding_target;
  DistanceBiases source_biases;  ///< one row a head, or empty
  DistanceBiases target_biases;
  /// Of the last stack's layers that have a sliding window, where these have let keys go; else empty.
  DistanceBiases sliding_biases;

  /// Of the attention at a place, whatever its head.
  const CombinedMask& of(const Architecture& architecture, const HeadId& place) const;
  const DistanceBiases* biases_of(const Architecture& architecture, const HeadId& place) const;
};

struct PassInputs {
  const Model& model;
  const AttentionOptions& options;
  const PassMasks& masks;
  const Linear& unembedding;         ///< [D, vocabulary]; does not exist without a final linear layer
  const PassEdits* edits = nullptr;  ///< interventions; null: none
  /// [S, D] what cross-attention looks at, of a shape that decodes; of no rows where that is cached.
  MatrixView memory = {};
};

/// Called after each layer, with the number of layers that are done: the encoder's, then the decoder's.
using OnLayer = std::function<void(int)>;

/// Fills `buffers` from the stacks' `input` on, layer by layer. False where `stop` became true.
/// Of a shape that decodes, `inputs` have the masks, biases and edits of just its rows, and the cached keys
/// and values are where those of `buffers` are.
bool forward(const PassInputs& inputs, PassBuffers& buffers, TaskPool& pool,
             const std::atomic<bool>* stop = nullptr, const OnLayer& on_layer = {});

/// Does the same, to the same bits, where the first `n` rows are those of a pass before, of which
/// shares_first_rows() of core/model/later_rows.h says that it shares them: they are copied, and only the
/// rows behind them are computed.
bool forward_behind(const PassInputs& inputs, const PassBuffers& before, int n, PassBuffers& buffers,
                    TaskPool& pool, const std::atomic<bool>* stop = nullptr, const OnLayer& on_layer = {});

/// The layers of a finished pass from one on, and the stacks after it, again with the edits of `inputs`; what
/// is before it is as in `base`, which was computed with the same masks. `buffers` are of the same shape, but
/// with no words to predict. False where `stop` became true.
bool forward_from(const PassInputs& inputs, const PassBuffers& base, Stack stack, int layer,
                  PassBuffers& buffers, TaskPool& pool, const std::atomic<bool>* stop = nullptr);

/// Scores of the words for one row of what leaves the last stack. [vocabulary]
std::vector<float> logits_of_row(const PassInputs& inputs, std::span<const float> row);

/// The self-attention of such a layer with queries, keys and values only, from which its maps are computed.
WholeLayer compute_projections(const PassInputs& inputs, const PassBuffers& buffers, Stack stack, int layer,
                               TaskPool& pool);

/// How an attention of a pass is computed; what `inputs` refers to must outlive it.
AttentionPlan attention_plan(const PassInputs& inputs, const HeadId& attention);

/// A layer of a finished pass that kept only its input and the outputs of its heads.
WholeLayer compute_layer(const PassInputs& inputs, const PassBuffers& buffers, Stack stack, int layer,
                         TaskPool& pool);

}  // namespace headscope
