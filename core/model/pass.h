#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/model/attention.h"
#include "core/tensor/aligned_buffer.h"

namespace headscope {

/// What a pass keeps. The rest is computed again on demand, with the same numbers: maps from queries and keys
/// (HeadMaps), a layer from its input and the outputs of its heads (compute_layer).
enum class Kept {
  everything,
  no_maps,
  layer_inputs  ///< Includes the heads' outputs; without them, all of attention would be computed again.
};

/// Sizes of one forward pass.
struct PassShape {
  Architecture architecture;
  int n_source = 0;                  ///< The number of tokens of the first stack.
  int n_target = 0;                  ///< The number of tokens of the decoder, if there are two stacks.
  int vocabulary = 0;                ///< The number of columns of the logits. 0 without a final linear layer.
  bool mask_changes_scores = false;  ///< For self-attention over the sentence.
  bool target_mask_changes_scores = false;  ///< For the decoder's self-attention, with two stacks.
  bool cross_mask_changes_scores = false;
  bool mask_hides = false;  ///< Whether the mask of self-attention over the sentence hides cells with −∞.
  bool target_mask_hides = false;
  bool cross_mask_hides = false;
  bool drops = false;
  /// The number of previous tokens of the last stack. Their keys and values, and those of the source in
  /// cross-attention, are already there.
  int n_cached = 0;
  /// How many of the first of these tokens are no longer kept by self-attention in layers with a sliding
  /// window.
  int n_let_go = 0;
  /// Whether self-attention, with a cache and if it is linear, reads the state of the previous tokens instead
  /// of their keys.
  bool reads_state = false;
  bool decodes = false;  ///< Only the last stack is computed; its cross-attention reads PassInputs::memory.
  bool gives_input = false;  ///< The input of a stack is given instead of being the sum of its parts.
  /// Rows of `projected` are edited; without an output projection, it is therefore a copy.
  bool edits_projected = false;
  Kept kept = Kept::everything;
  /// Whether the logits and probabilities are kept, too. If not, logits_of_rows() computes them.
  bool keeps_predictions = true;

  int n_tokens(Stack stack) const;
  AttentionShape attention(Stack stack, AttentionKind kind, int layer) const;
  std::size_t floats() const;       ///< The memory of what a pass keeps, in floats.
  std::size_t peak_floats() const;  ///< The same at its peak, while the pass is computed.
};

/// The parts around a sublayer. Each is null if the architecture has no such part.
struct SublayerBuffers {
  float* norm = nullptr;         ///< [T, D] The norm before the sublayer (Norm::pre, Norm::both).
  float* output_norm = nullptr;  ///< [T, D] The norm of its output (Norm::both).
  float* residual = nullptr;     ///< [T, D] The sublayer's input + its output (or the norm of its output).
  float* normed = nullptr;       ///< [T, D] The norm after that (Norm::post).
};

struct FeedForwardBuffers {
  float* hidden = nullptr;     ///< [T, d_ff]
  float* activated = nullptr;  ///< [T, d_ff]
  float* up = nullptr;         ///< [T, d_ff] Null if it is not gated.
  float* gated = nullptr;  ///< [T, d_ff] activated · up. The same address as `activated` if it is not gated.
  float* output = nullptr;  ///< [T, D]
};

struct LayerBuffers {
  int n_tokens = 0;              ///< T
  const float* input = nullptr;  ///< [T, D] The output of the previous layer, or the stack's input.
  AttentionBuffers self;         ///< Has an empty shape if there is no self-attention.
  SublayerBuffers around_self;
  AttentionBuffers cross;  ///< Has an empty shape if there is no cross-attention.
  SublayerBuffers around_cross;
  FeedForwardBuffers feed_forward;
  SublayerBuffers around_feed_forward;
  const float* output = nullptr;  ///< [T, layer_width] The last part that exists.
  /// Where `output` is copied to, or read into from a capture. Null if it stays in place.
  float* kept_output = nullptr;
};

struct StackBuffers {
  int n_tokens = 0;
  float* embedding = nullptr;  ///< [T, E]
  float* positions = nullptr;  ///< [T, E] Null if no rows are added.
  float* segments = nullptr;   ///< [T, E] Null without segments.
  /// [T, E] The sum of these, which is normalised, projected or both to make the input. Null if the sum is
  /// the input itself.
  float* sum = nullptr;
  float* sum_normed = nullptr;  ///< [T, E] Null without a norm of the sum.
  /// [T, D] The same address as `embedding` if nothing is done to it and no input is given.
  float* input = nullptr;
  std::vector<LayerBuffers> layers;  ///< Empty if the model has no such stack.
  float* normed = nullptr;           ///< [T, D] The norm after the last layer (Norm::pre, Norm::both).
  const float* output = nullptr;     ///< [T, layer_width] `normed`, or the output of the last layer.
};

/// The parts between the last stack and the final linear layer. Null if the model has no such parts.
struct OutputTransformBuffers {
  float* hidden = nullptr;     ///< [T, E]
  float* activated = nullptr;  ///< [T, E]
  float* output = nullptr;     ///< [T, E] The normalised rows.
};

/// A layer that owns its memory.
struct WholeLayer {
  AlignedBuffer memory;
  LayerBuffers buffers;
};

/// The numbers that one pass keeps, in one block of memory that a later pass may take over. A part that would
/// only repeat another has the same address as that part.
struct PassBuffers {
  PassBuffers(const PassShape& shape, AlignedBuffer memory);

  PassShape shape;
  AlignedBuffer memory;
  StackBuffers encoder, decoder;
  OutputTransformBuffers transform;
  float* logits = nullptr;         ///< [T, vocabulary] T is that of the last stack. Null if not kept.
  float* probabilities = nullptr;  ///< [T, vocabulary]

  const StackBuffers& stack(Stack which) const { return which == Stack::encoder ? encoder : decoder; }
};

/// The most that a pass of these sizes can keep within `max_floats` of memory, or Kept::layer_inputs if
/// nothing fits. With softmax over queries, whose sums need whole maps, a pass must keep everything.
Kept most_kept(PassShape shape, std::size_t max_floats);

/// Memory for every part of a layer, except for the parts that the pass keeps: its input and the outputs of
/// its heads. If the layer is only passed through, parts that are not needed later may share memory.
WholeLayer whole_layer(const PassShape& shape, Stack stack, int layer, const LayerBuffers& kept,
                       bool is_passed_through);

/// The combined masks of a pass, and what positions add to the scores of self-attention by distance.
struct PassMasks {
  CombinedMask source;  ///< For self-attention over the sentence.
  CombinedMask target;  ///< For the decoder's self-attention, with two stacks.
  CombinedMask cross;
  /// The same for layers with a sliding window. Their sizes are 0 if no layer has one.
  CombinedMask sliding_source, sliding_target;
  DistanceBiases source_biases;  ///< One row per head, or empty.
  DistanceBiases target_biases;
  /// For the sliding-window layers of the last stack if they have dropped keys; otherwise empty.
  DistanceBiases sliding_biases;

  /// The mask and the biases of the attention at a place, whichever its head.
  const CombinedMask& of(const Architecture& architecture, const HeadId& place) const;
  const DistanceBiases* biases_of(const Architecture& architecture, const HeadId& place) const;
};

struct PassInputs {
  const Model& model;
  const AttentionOptions& options;
  const PassMasks& masks;
  const Linear& unembedding;         ///< [D, vocabulary] Does not exist without a final linear layer.
  const PassEdits* edits = nullptr;  ///< The interventions. Null if there are none.
  /// [S, D] What cross-attention reads if the shape decodes. Has no rows if that is cached.
  MatrixView memory = {};
};

/// Called after each layer with the number of layers that are done, those of the encoder first.
using OnLayer = std::function<void(int)>;

/// Fills `buffers` layer by layer, starting from the stacks' `input`. If the shape decodes, `inputs` have the
/// masks, biases and edits of its rows only, and the cached keys and values are in their places in `buffers`.
/// Returns false if `stop` became true.
bool forward(const PassInputs& inputs, PassBuffers& buffers, TaskPool& pool,
             const std::atomic<bool>* stop = nullptr, const OnLayer& on_layer = {});

/// Does the same, with results that are equal to the last bit, if shares_first_rows() of
/// core/model/later_rows.h holds for the earlier pass `before` and `n`: copies the first `n` rows from that
/// pass and computes only the rows after them.
bool forward_behind(const PassInputs& inputs, const PassBuffers& before, int n, PassBuffers& buffers,
                    TaskPool& pool, const std::atomic<bool>* stop = nullptr, const OnLayer& on_layer = {});

/// A part of a finished pass: the layers of a stack from `layer` on, and the stacks after it.
struct PartOfPass {
  Stack stack = Stack::encoder;
  int layer = 0;
  /// Set if the only change in the pass is that this head of the first layer is switched off. The outputs of
  /// the heads beside it are then taken from the finished pass.
  std::optional<HeadId> switched_off = {};
  /// The only row of the last stack's output that is needed. The other rows may be left as they are.
  std::optional<int> row = {};
};

/// Computes a part of a finished pass again with the edits of `inputs`. Everything before that part is as in
/// `base`, which must have been computed with the same masks. `buffers` have the same shape, but without
/// words to predict. Returns false if `stop` became true.
bool forward_from(const PassInputs& inputs, const PassBuffers& base, const PartOfPass& part,
                  PassBuffers& buffers, TaskPool& pool, const std::atomic<bool>* stop = nullptr);

/// The scores of the words for rows of the last stack's output [n, D]: [n, vocabulary].
Matrix logits_of_rows(const PassInputs& inputs, MatrixView rows, TaskPool& pool);

/// Computes only the queries, keys and values of a self-attention, from which its maps can be computed.
WholeLayer compute_projections(const PassInputs& inputs, const PassBuffers& buffers, Stack stack, int layer,
                               TaskPool& pool);

/// How an attention of a pass is computed. The objects that `inputs` refers to must outlive the plan.
AttentionPlan attention_plan(const PassInputs& inputs, const HeadId& attention);

/// Computes a layer of a finished pass that kept only its input and the outputs of its heads.
WholeLayer compute_layer(const PassInputs& inputs, const PassBuffers& buffers, Stack stack, int layer,
                         TaskPool& pool);

}  // namespace headscope
