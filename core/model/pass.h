#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "core/model/attention.h"
#include "core/model/graph.h"
#include "core/slices.h"
#include "core/tensor/aligned_buffer.h"

namespace headscope {

/// What a pass keeps. The rest is computed again on demand, with the same numbers: maps from queries and keys
/// (HeadMaps), a layer from its input and the outputs of its heads (compute_layer).
enum class Kept {
  everything,
  no_maps,
  layer_inputs,  ///< Includes the heads' outputs; without them, all of attention would be computed again.
  predictions    ///< Only what is computed from the output of the last stack.
};

/// Rows from `first` up to but not including `last`. Rows are counted from the first token of the text, even
/// if a pass computes only later ones.
struct RowRange {
  int first = 0;
  int last = 0;
  int size() const { return last - first; }
};

/// Sizes of one forward pass, and the graph that it follows.
struct PassShape {
  std::shared_ptr<const Graph> graph;
  int n_source = 0;                  ///< The number of tokens of the first stack.
  int n_target = 0;                  ///< The number of tokens of the decoder, if there are two stacks.
  int vocabulary = 0;                ///< The number of columns of the logits. 0 without a final linear layer.
  bool mask_changes_scores = false;  ///< For self-attention over the sentence.
  bool target_mask_changes_scores = false;  ///< For the decoder's self-attention, with two stacks.
  bool cross_mask_changes_scores = false;
  bool mask_hides = false;  ///< Whether the mask of self-attention over the sentence hides cells with −∞.
  bool target_mask_hides = false;
  bool cross_mask_hides = false;
  /// The number of previous tokens of the last stack. Their keys and values, and those of the source in
  /// cross-attention, are already there.
  int n_cached = 0;
  /// How many of the first of these tokens are no longer kept by self-attention in layers with a sliding
  /// window.
  int n_let_go = 0;
  /// Whether self-attention, with a cache and if it is linear, reads the state of the previous tokens instead
  /// of their keys.
  bool reads_state = false;
  bool decodes = false;  ///< Only the last stack is computed.
  /// Whether rows of stages are given or replaced. Each stage then has its own memory, even if it would only
  /// repeat another.
  bool edits_rows = false;
  Kept kept = Kept::everything;
  /// Whether the logits and probabilities are kept, too. If not, logits_of_rows() computes them.
  bool keeps_predictions = true;

  const Architecture& architecture() const { return graph->architecture(); }
  int n_tokens(Stack stack) const;
  AttentionShape attention(Stack stack, AttentionKind kind, int layer) const;
  /// The keys that an attention has in memory.
  RowRange keys(Stack stack, AttentionKind kind, int layer) const;
  /// The rows of a stage that are in memory if it is kept.
  RowRange stored_rows(const StageId& id) const;
  /// The numbers in a row of a stage, those of all heads together.
  int width(const StageId& id) const;
  std::size_t floats() const;       ///< The memory of what a pass keeps, in floats.
  std::size_t peak_floats() const;  ///< The same at its peak, while the pass is computed.
};

/// Where the stages of a pass lie: the first number of each. The rows of all heads stand side by side; their
/// maps follow one another.
class StagePlaces {
 public:
  explicit StagePlaces(int n_layers)
      : n_layers_(static_cast<std::size_t>(n_layers)), all_(4 * n_layers_ * enum_count<StageKind>) {}

  /// Null if the stage is not kept. The fields that its kind does not use must be 0.
  float* at(const StageId& id) const { return all_[index(id)]; }
  void put(const StageId& id, float* place) { all_[index(id)] = place; }

 private:
  std::size_t index(const StageId& id) const {
    const auto stack = static_cast<std::size_t>(id.stack);
    const auto attention = static_cast<std::size_t>(id.attention);
    const std::size_t at = (2 * stack + attention) * n_layers_ + static_cast<std::size_t>(id.layer);
    return at * enum_count<StageKind> + index_of(id.kind);
  }

  std::size_t n_layers_;
  std::vector<float*> all_;
};

/// The numbers that one pass keeps, in one block of memory that a later pass may take over. A stage that
/// would only repeat another has the same place as that one.
struct PassBuffers {
  /// The memory has room for shape.floats().
  PassBuffers(const PassShape& shape, AlignedBuffer memory);

  PassShape shape;
  AlignedBuffer memory;
  StagePlaces places;

  /// The first number of a stage, for all heads together. Null if it is not kept.
  float* at(const StageId& id) const { return places.at(id); }
  /// Rows of a stage that is kept.
  MatrixView rows(const StageId& id, const RowRange& range) const;
  /// What the heads of an attention are computed from and to. Parts that are not kept are null.
  AttentionBuffers attention(const HeadId& place) const;
};

/// The memory of what a pass does not keep of a layer.
struct ComputedLayer {
  /// For these steps of the layer. If the layer is only passed through, the memory of a step is used again
  /// once no later step reads it.
  ComputedLayer(const PassShape& shape, int layer, const std::vector<Step>& steps, bool is_passed_through);

  AlignedBuffer memory;
  StagePlaces places{1};  ///< As if it were layer 0.

  /// The first number of a stage of this layer or outside of all layers: here, or where the pass keeps it.
  /// Null if there is neither.
  float* at(const PassBuffers& pass, const StageId& id) const;
  AttentionBuffers attention(const PassBuffers& pass, const HeadId& place) const;
};

/// The most that a pass of these sizes can keep within `max_floats` of memory, or Kept::layer_inputs if
/// nothing fits. With softmax over queries, whose sums need whole maps, a pass must keep everything.
Kept most_kept(PassShape shape, std::size_t max_floats);

/// The combined masks of a pass, and what positions add to the scores of self-attention by distance.
struct PassMasks {
  CombinedMask source;  ///< For self-attention over the sentence.
  CombinedMask target;  ///< For the decoder's self-attention, with two stacks.
  CombinedMask cross;
  /// The same for layers with a sliding window. Their sizes are 0 if no layer has one.
  CombinedMask sliding_source, sliding_target;
  /// One row per head for all layers, or for each. Empty if positions add no biases.
  std::vector<DistanceBiases> source_biases;
  std::vector<DistanceBiases> target_biases;

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
};

/// Fills `buffers` step by step, from what is looked up for each token (embeddings, positions, segments).
/// With a cache, the cached keys and values must be in their places, and so must the encoder's output if the
/// shape decodes. A slice is one layer, those of the encoder first; the last slice is the predictions. False
/// if `stop` became true.
Slices<bool> forward(const PassInputs& inputs, PassBuffers& buffers, TaskPool& pool,
                     const std::atomic<bool>* stop = nullptr);

/// Does the same, with results that are equal to the last bit, if shares_first_rows() of
/// core/model/later_rows.h holds for the earlier pass `before` and `n`: copies the first `n` rows from that
/// pass and computes only the rows after them.
Slices<bool> forward_behind(const PassInputs& inputs, const PassBuffers& before, int n, PassBuffers& buffers,
                            TaskPool& pool, const std::atomic<bool>* stop = nullptr);

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

/// Computes a part of a finished pass again with the edits of `inputs`, which scale the same rows as in
/// `base`. Everything before that part is as in `base`, which must have been computed with the same masks.
/// `buffers` have the same shape, but without words to predict. Returns false if `stop` became true.
bool forward_from(const PassInputs& inputs, const PassBuffers& base, const PartOfPass& part,
                  PassBuffers& buffers, TaskPool& pool, const std::atomic<bool>* stop = nullptr);

/// The scores of the words [n, vocabulary] for rows [n, D] like those of the last stack's output, the first
/// of which is row `first` of the pass. `shape` is that of the pass.
Matrix logits_of_rows(const PassInputs& inputs, const PassShape& shape, const MatrixView& rows, int first,
                      TaskPool& pool);

/// How an attention of a pass is computed. The objects that `inputs` refers to must outlive the plan.
AttentionPlan attention_plan(const PassInputs& inputs, const HeadId& attention);

/// Which steps of a layer are computed again: all of them, or only those that lead to the queries, keys and
/// values of self-attention, from which its maps can be computed.
enum class Again { layer, projections };

/// Computes a layer of a finished pass that kept only its input and the outputs of its heads.
ComputedLayer compute_layer(const PassInputs& inputs, const PassBuffers& buffers, Stack stack, int layer,
                            Again again, TaskPool& pool);

}  // namespace headscope
