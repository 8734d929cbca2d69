#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "core/model/attention.h"
#include "core/tensor/aligned_buffer.h"

namespace headscope {

/// Sizes of one forward pass.
struct PassShape {
  Architecture architecture;
  int n_source = 0;                         ///< tokens of the first stack
  int n_target = 0;                         ///< tokens of the decoder, where there are two stacks
  int vocabulary = 0;                       ///< columns of the logits; 0 without a final linear layer
  bool mask_changes_scores = false;         ///< of self-attention over the sentence
  bool target_mask_changes_scores = false;  ///< of the decoder's self-attention, with two stacks
  bool cross_mask_changes_scores = false;
  bool drops = false;

  int n_tokens(Stack stack) const;
  AttentionShape attention(Stack stack, AttentionKind kind) const;
  std::size_t floats() const;  ///< memory of a pass, in floats
};

/// The parts around a sublayer. Null if the architecture has no such part.
struct SublayerBuffers {
  float* norm = nullptr;      ///< [T, D] layer norm before the sublayer (Norm::pre)
  float* residual = nullptr;  ///< [T, D] sublayer's input + its output
  float* normed = nullptr;    ///< [T, D] layer norm after that (Norm::post)
};

struct FeedForwardBuffers {
  float* hidden = nullptr;     ///< [T, d_ff]
  float* activated = nullptr;  ///< [T, d_ff]
  float* output = nullptr;     ///< [T, D]
};

struct LayerBuffers {
  const float* input = nullptr;  ///< [T, D]: the layer before, or the stack's input
  AttentionBuffers self;
  SublayerBuffers around_self;
  AttentionBuffers cross;  ///< without a shape where there is no cross-attention
  SublayerBuffers around_cross;
  FeedForwardBuffers feed_forward;
  SublayerBuffers around_feed_forward;
  const float* output = nullptr;  ///< [T, layer_width]: the last part that there is
};

struct StackBuffers {
  int n_tokens = 0;
  float* embedding = nullptr;        ///< [T, D]
  float* positions = nullptr;        ///< [T, D]; null where no rows are added
  float* input = nullptr;            ///< [T, D]; the same address as `embedding` where no positions are added
  std::vector<LayerBuffers> layers;  ///< empty where the model has no such stack
  float* normed = nullptr;           ///< [T, D] layer norm after the last layer (Norm::pre)
  const float* output = nullptr;     ///< [T, layer_width]: that, or what leaves the last layer
};

/// All numbers of one pass, in one block of memory that a later pass may take over. Parts that would only
/// repeat another share its address.
struct PassBuffers {
  PassBuffers(const PassShape& shape, AlignedBuffer memory);

  PassShape shape;
  AlignedBuffer memory;
  StackBuffers encoder, decoder;
  float* logits = nullptr;         ///< [T, vocabulary], T of the last stack
  float* probabilities = nullptr;  ///< [T, vocabulary]

  const StackBuffers& stack(Stack which) const { return which == Stack::encoder ? encoder : decoder; }
};

/// The masks of a pass, combined, and what positions add to the scores of self-attention by distance.
struct PassMasks {
  CombinedMask source;  ///< of self-attention over the sentence
  CombinedMask target;  ///< of the decoder's self-attention, with two stacks
  CombinedMask cross;
  DistanceBiases source_biases;  ///< one row a head, or empty
  DistanceBiases target_biases;

  const CombinedMask& of(const Architecture& architecture, Stack stack, AttentionKind kind) const;
  const DistanceBiases* biases_of(const Architecture& architecture, Stack stack, AttentionKind kind) const;
};

struct PassInputs {
  const Model& model;
  const AttentionOptions& options;
  const PassMasks& masks;
  const Matrix& unembedding;                ///< [D, vocabulary]; empty without a final linear layer
  const float* unembedding_bias = nullptr;  ///< [vocabulary]; null: it has none
};

/// Called after each layer, with the number of layers that are done: the encoder's, then the decoder's.
using OnLayer = std::function<void(int)>;

/// Fills `buffers` from the stacks' `input` on, layer by layer. False where `stop` became true.
bool forward(const PassInputs& inputs, PassBuffers& buffers, TaskPool& pool,
             const std::atomic<bool>* stop = nullptr, const OnLayer& on_layer = {});

}  // namespace headscope
