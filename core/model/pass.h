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

/// What a pass keeps in memory. The rest is recomputed on demand, bit-identical: maps from queries and keys
/// (HeadMaps), layers from their inputs and head outputs (recompute_layer).
enum class Retention {
  everything,
  no_maps,
  layer_inputs,  ///< And head outputs, without which all of attention would have to be recomputed
  predictions    ///< Only stages computed from the output of the last stack
};

/// Rows [first, last), counted from the first token of the text even if a pass computes only later ones.
struct RowRange {
  int first = 0;
  int last = 0;
  int size() const { return last - first; }
};

/// The graph and the sizes of a forward pass.
struct PassShape {
  std::shared_ptr<const Graph> graph;
  int n_source = 0;                         ///< Tokens of the first stack
  int n_target = 0;                         ///< Tokens of the decoder, with two stacks
  int vocabulary = 0;                       ///< Columns of the logits; 0 without an unembedding
  bool mask_changes_scores = false;         ///< For self-attention over the sentence.
  bool target_mask_changes_scores = false;  ///< For the decoder's self-attention, with two stacks.
  bool cross_mask_changes_scores = false;
  bool mask_hides = false;  ///< Whether the mask of self-attention over the sentence hides cells with −∞.
  bool target_mask_hides = false;
  bool cross_mask_hides = false;
  /// The number of cached tokens of the last stack. Their keys and values, and those of the source in
  /// cross-attention, are already in memory.
  int n_cached = 0;
  /// How many of the first cached tokens have been evicted from layers with a sliding window.
  int n_evicted = 0;
  /// Whether linear self-attention reads the cached state instead of cached keys.
  bool reads_state = false;
  bool is_decoding = false;  ///< Whether only the last stack is computed
  /// Whether rows of stages are given or patched. If so, no stages alias each other.
  bool edits_rows = false;
  Retention kept = Retention::everything;
  /// Whether logits and probabilities are kept, rather than computed by logits_of_rows().
  bool keeps_predictions = true;

  const Architecture& architecture() const { return graph->architecture(); }
  int n_tokens(Stack stack) const;
  AttentionShape attention(Stack stack, AttentionKind kind, int layer) const;
  /// The keys of an attention that are in memory.
  RowRange keys(Stack stack, AttentionKind kind, int layer) const;
  /// The rows of a stage that are in memory if it is kept.
  RowRange stored_rows(const StageId& id) const;
  /// The row width of a stage, for all heads together.
  int width(const StageId& id) const;
  std::size_t floats() const;       ///< The memory kept by the pass, in floats
  std::size_t peak_floats() const;  ///< The peak memory during the pass
};

/// The address of the first number of each stage. Rows of all heads are concatenated; maps follow one
/// another.
class StageAddresses {
 public:
  explicit StageAddresses(int n_layers)
      : n_layers_(static_cast<std::size_t>(n_layers)), all_(4 * n_layers_ * enum_count<StageKind>) {}

  /// Null if the stage is not kept. The id must be normalized().
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

/// The numbers kept by a pass, in one block that a later pass may reuse. A stage that only copies another
/// aliases it.
struct PassBuffers {
  /// Requires memory.size() ≥ shape.floats().
  PassBuffers(const PassShape& shape, AlignedBuffer memory);

  PassShape shape;
  AlignedBuffer memory;
  StageAddresses places;

  /// The first number of a stage, for all heads. Null if it is not kept.
  float* at(const StageId& id) const { return places.at(id); }
  /// Rows of a stage, which must be kept.
  MatrixView rows(const StageId& id, const RowRange& range) const;
  /// The inputs and outputs of the heads of an attention, of one of its chains or else of the first. Null
  /// where not kept.
  AttentionBuffers attention(const HeadId& place, const HeadChain* chain = nullptr) const;
};

/// A layer that a pass did not keep, recomputed into its own memory.
struct RecomputedLayer {
  /// Allocates memory for `steps`. If `reuses_memory`, the memory of a step is reused after its last
  /// reader.
  RecomputedLayer(const PassShape& shape, int layer, const std::vector<Step>& steps, bool reuses_memory);

  AlignedBuffer memory;
  StageAddresses places{1};  ///< As layer 0
  int layer;

  /// The first number of a stage of this layer or outside of layers, here or in `pass`. Null if neither has
  /// it.
  float* at(const PassBuffers& pass, const StageId& id) const;
  AttentionBuffers attention(const PassBuffers& pass, const HeadId& place,
                             const HeadChain* chain = nullptr) const;
};

/// The most that a pass can keep within `max_floats`; Retention::layer_inputs if even that does not fit. Not
/// for softmax over queries, which needs entire maps, so the pass must keep everything.
Retention max_kept(PassShape shape, std::size_t max_floats);

/// The combined masks and position biases of a pass.
struct PassMasks {
  CombinedMask source;  ///< For self-attention over the sentence.
  CombinedMask target;  ///< For the decoder's self-attention, with two stacks.
  CombinedMask cross;
  /// The masks of the layers with a sliding window. Of size 0 if there are no such layers.
  CombinedMask sliding_source, sliding_target;
  /// One element for all layers, or one per layer. Empty without position biases.
  std::vector<DistanceBiases> source_biases;
  std::vector<DistanceBiases> target_biases;

  /// The mask and the biases of an attention; `place.head` is ignored.
  const CombinedMask& of(const Architecture& architecture, const HeadId& place) const;
  const DistanceBiases* biases_of(const Architecture& architecture, const HeadId& place) const;
};

struct PassInputs {
  const Model& model;
  const AttentionOptions& options;
  const PassMasks& masks;
  const Linear& unembedding;         ///< [D, vocabulary] May not exist
  const PassEdits* edits = nullptr;  ///< The interventions. Null if there are none.
};

/// Runs the forward pass: fills `buffers` step by step. The looked-up rows (embeddings, positions, segments)
/// must already be there, as must cached keys and values and, when decoding, the encoder's output. A slice is
/// one layer, encoder first; the last slice computes the predictions. Returns false if `stop` became true.
Slices<bool> forward(const PassInputs& inputs, PassBuffers& buffers, ThreadPool& pool,
                     const std::atomic<bool>* stop = nullptr);

/// The same, bit-identical, but copies the first `n` rows from the earlier pass `before` and computes only
/// later rows. Requires has_same_first_rows().
Slices<bool> forward_extend(const PassInputs& inputs, const PassBuffers& before, int n, PassBuffers& buffers,
                            ThreadPool& pool, const std::atomic<bool>* stop = nullptr);

/// The tail of a pass: the layers of a stack from `layer` on, and later stacks.
struct PassTail {
  Stack stack = Stack::encoder;
  int layer = 0;
  /// Set if the only change is that this head of the first layer is ablated; the outputs of its other heads
  /// are then copied from the finished pass.
  std::optional<HeadId> switched_off = {};
  /// The only row of the last stack's output that is needed; other rows may be left uncomputed.
  std::optional<int> row = {};
};

/// Recomputes the tail of the finished pass `base` with the edits of `inputs`, which must scale the same rows
/// as those of `base`. The masks must be the same. `buffers` have the shape of `base` but no vocabulary;
/// after an exception, they must not be used again. Returns false if `stop` became true.
bool forward_from(const PassInputs& inputs, const PassBuffers& base, const PassTail& part,
                  PassBuffers& buffers, ThreadPool& pool, const std::atomic<bool>* stop = nullptr);

/// The logits [n, vocabulary] of rows [n, D] of the last stack's output, the first of which is row `first` of
/// the pass.
Matrix logits_of_rows(const PassInputs& inputs, const PassShape& shape, const MatrixView& rows, int first,
                      ThreadPool& pool);

/// The plan of an attention, for one of its chains or else for the first. The referents of `inputs` must
/// outlive it.
AttentionPlan attention_plan(const PassInputs& inputs, const HeadId& attention,
                             const HeadChain* chain = nullptr);

/// Recomputes a layer of a finished pass that kept only its input and head outputs. If `only_projections`,
/// only the steps up to the queries, keys and values of self-attention, from which maps can be computed.
RecomputedLayer recompute_layer(const PassInputs& inputs, const PassBuffers& buffers, Stack stack, int layer,
                                bool only_projections, ThreadPool& pool);

/// If two texts share a prefix, their passes through a causal stack share the first rows of all stages.
/// Whether the first `n` rows of a finished pass can be reused in another pass (forward_extend()): requires
/// that both passes keep everything and have a single stack, and that under both masks the first n queries
/// see the same of the first n keys and no others (hidden with −∞).
bool has_same_first_rows(const PassBuffers& before, const PassMasks& masks_before, const PassBuffers& now,
                         const PassMasks& masks_now, int n);

}  // namespace headscope
