#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/architecture.h"
#include "core/model/attention_options.h"
#include "core/model/given_numbers.h"
#include "core/model/graph.h"
#include "core/result.h"
#include "core/tensor/matrix.h"
#include "core/tensor/view.h"
#include "core/text/demand.h"
#include "core/text/tokenizer.h"
#include "core/trace/number_source.h"
#include "core/trace/stage.h"

namespace headscope {

class ModelFiles;      // core/model/model_source.h: the files of a model that is read when it is needed
struct Model;          // core/model/model.h: architecture and weights
struct PassBuffers;    // core/model/pass.h: the numbers of one pass
struct PassEdits;      // core/model/pass_edits.h: interventions with their numbers
struct PassInputs;     // core/model/pass.h: what a pass is computed from
struct PassMasks;      // core/model/pass.h: its masks, combined
class Linear;          // core/model/linear.h: the weights of a linear layer
struct ComputedLayer;  // core/model/pass.h: a layer that was computed again
struct Unembedding;    // core/trace/unembedding.h: the words that can be predicted

/// Computes the n rows of a stage from `first` on into out [n, columns]. Thread-safe.
using RowMaker = std::function<void(int first, int n, float* out)>;

/// Columns of the weights of a linear layer.
struct LinearColumns {
  const Linear& linear;
  int first, n;
};

/// Describes the sentences of a batch, which are padded to the same length. One of them is traced.
struct BatchPlace {
  int n_sequences = 1;
  int sequence = 0;  ///< the sentence that is traced
  int n_padded = 0;  ///< the number of padding tokens at its end
};

/// The rows of a pass in which a trained model only guesses (core/trace/guess.h).
struct Guesses {
  std::vector<int> rows;  ///< rows of the last stack, in ascending order
  std::string text;       ///< a text about these rows; empty if there are none
};

/// The cell in which the numbers of a pass first leave the range of float32.
struct Overflow {
  StageId stage;
  int row = 0, col = 0;
  float value = 0.0F;  ///< NaN or infinite
};

/// The ordered, named stages of one forward pass. Immutable once published and safe to read from any thread.
class Trace {
 public:
  struct Parts {
    std::shared_ptr<const Model> model;
    /// True if the heads' own numbers are given by hand, so that those that the model drew are not used.
    bool is_given = false;
    AttentionOptions options;
    std::shared_ptr<const Graph> graph;  ///< that of the model with these options
    std::shared_ptr<const PassMasks> masks;
    std::vector<Token> tokens;         ///< tokens of the first stack
    std::vector<Token> target_tokens;  ///< tokens of the decoder if there are two stacks
    int tokens_in_sentence = 0;        ///< tokens of the longer of both sentences
    BatchPlace batch;
    std::shared_ptr<const Unembedding> unembedding;  ///< null if there is no final linear layer
    std::shared_ptr<const PassBuffers> buffers;
    std::shared_ptr<const PassEdits> edits;  ///< interventions and given stages; null if there are none
    GivenNumbers given;                      ///< parameters and stages that are given by hand
    TaskRows task_rows;
    std::shared_ptr<const ModelFiles> files;  ///< from which weights are read later; null if there are none
    int layers_done = 0;  ///< layers computed so far: first the encoder's, then the decoder's
    bool complete = true;
    double milliseconds = 0.0;
  };
  explicit Trace(Parts parts);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  const Architecture& architecture() const;
  const Model& model() const { return *parts_.model; }
  /// Whether the weights are random, that is, nothing was learned.
  bool is_untrained() const;
  const AttentionOptions& options() const { return parts_.options; }
  const BatchPlace& batch() const { return parts_.batch; }
  const TaskRows& task_rows() const { return parts_.task_rows; }
  /// What the task asks of a row of the last stack. Demand::repeats if there is no task or the task does not
  /// cover the row.
  Demand demand(int row) const;
  /// Computed at the first call, since this reads the head's weights and the logits of all rows, and then
  /// kept.
  const Guesses& guesses() const;
  /// The first cell, in the order of computation, that is NaN or infinite and not hidden by a mask. Empty if
  /// the numbers that the pass kept are finite, or if the pass is not complete. Computed at the first call,
  /// which reads all of them, and then kept.
  const std::optional<Overflow>& overflow() const;
  /// Fails if numbers may have been read from a file of the model that has changed since it was opened.
  /// Weights, and what the pass did not keep, are read from it at any time, so code that shows
  /// or writes numbers must call this after reading them.
  Result<void> check_files() const;
  /// False for a trace published while later layers are still being computed.
  bool complete() const { return parts_.complete; }

  /// The mask of the attention that a stage belongs to, combined from its parts, and as it was requested.
  const CombinedMask& mask(const StageId& id) const;
  const MaskSpec& mask_spec(const StageId& id) const;
  /// The sliding window of that attention. No value if its layer is global or it is cross-attention.
  std::optional<int> sliding_window(const StageId& id) const;

  /// The interventions in the pass and the given numbers of its stages. Null if there are none.
  const PassEdits* edits() const { return parts_.edits.get(); }
  /// The numbers given by hand, which replace those that would be drawn, read or computed. For a single
  /// stage, null if its numbers are not given.
  const GivenNumbers& given() const { return parts_.given; }
  std::shared_ptr<const OwnedMatrix> given(const StageId& id) const;
  /// The inputs of the pass and the numbers that it keeps, for passes that continue from this one. They live
  /// as long as the trace.
  PassInputs pass_inputs() const;
  const PassBuffers& kept() const { return *parts_.buffers; }

  /// The tokens of the first stack, and those of any stack.
  const std::vector<Token>& tokens() const { return parts_.tokens; }
  const std::vector<Token>& tokens(Stack stack) const;
  /// The tokens along an axis of a stage: those of the stack for queries, and those that are attended to for
  /// keys.
  const std::vector<Token>& tokens(const StageId& id, Axis axis) const;
  /// The number of tokens in the sentence. It exceeds that of tokens() if the memory limit cut the sentence.
  int tokens_in_sentence() const { return parts_.tokens_in_sentence; }
  int n_tokens() const { return static_cast<int>(parts_.tokens.size()); }
  /// The words of the final linear layer. Empty if there is none.
  const std::vector<std::string>& vocabulary() const;
  /// The memory that the numbers of the pass take, in bytes.
  std::size_t bytes() const;
  /// The measured time of the forward pass, in milliseconds.
  double milliseconds() const { return parts_.milliseconds; }

  /// The stages that this pass has and uses, in the order of computation. Parameters precede the stages that
  /// use them.
  std::vector<StageId> stages() const;
  /// Whether other numbers of the pass depend on a stage. False if only stages that are given by hand would
  /// be computed from it. In a pass that is not complete, all stages count as used.
  bool uses(const StageId& id) const;
  bool has(const StageId& id) const { return parts_.graph->has(id) && is_computed(id); }
  /// The reason why the pass does not have a stage. Empty if it has it.
  std::string why_absent(const StageId& id) const;
  /// The stages of the model, and what each is computed from.
  const Graph& graph() const { return *parts_.graph; }
  /// The numbers of a stage. Empty if the pass does not have it. The view lives as long as the trace. Numbers
  /// that the pass did not keep or did not need are computed at the first call and then kept (thread-safe),
  /// which may take as much memory as the pass itself; read() does not keep them.
  MatrixView value(const StageId& id) const;

  /// The number of rows and columns of a stage, without computing it. Empty if the pass does not have it.
  Extent extent(const StageId& id) const;
  /// The numbers of a window, which must lie within the stage. If the pass did not keep them, only the rows
  /// of the window are computed, and they are not kept. What they are computed from is kept for a while, and
  /// so are weights unless the window has few of their columns.
  StageNumbers read(const StageId& id, const StageWindow& window) const;
  /// The numbers of a whole row, which must exist: [1, extent(id).cols].
  StageNumbers read_row(const StageId& id, int row) const { return read(id, {row, 0, 1, extent(id).cols}); }
  /// One number of a stage, whose cell must exist.
  float number(const StageId& id, int row, int col) const;
  /// Whether a row can be read without first computing a whole layer again.
  bool is_at_hand(const StageId& id) const;
  /// Exact statistics over all cells, computed at the first call and then kept. No value if `stop` became
  /// true.
  std::optional<StageStats> stats(const StageId& id, const std::atomic<bool>* stop = nullptr) const;
  /// The same statistics if they were computed before. No value otherwise.
  std::optional<StageStats> stats_if_known(const StageId& id) const;

  /// The label of an index: "it" along a token axis, "17" for a dimension. Words are shortened by
  /// shown_word().
  std::string label(const StageId& id, Axis axis, int index) const;
  /// The same with the whole word, for files.
  std::string whole_label(const StageId& id, Axis axis, int index) const;

 private:
  struct Lazy;
  bool is_computed(const StageId& id) const;
  /// The numbers of a stage that the pass kept. Empty if it did not keep them.
  MatrixView kept_by_pass(const StageId& id) const;
  /// The numbers of a stage whose first number, for all heads together, is here.
  MatrixView numbers_at(const StageId& id, const float* first) const;
  std::optional<Overflow> overflow_in(const StageId& id) const;
  std::optional<Overflow> found_overflow() const;
  bool keeps_layers() const;
  /// Whether the stage can be computed again without the part of its layer behind queries, keys and values.
  bool is_projected(const StageId& id) const;
  /// Computes the layer of an id again if the pass kept only its input and the outputs of its heads, or only
  /// the norm, queries, keys and values of its self-attention.
  std::shared_ptr<const ComputedLayer> layer_again(const StageId& id, bool is_projected) const;
  /// All numbers of a stage that belongs to a layer which is computed again.
  StageNumbers of_layer(const StageId& id) const;
  /// Returns a function that computes rows of a stage that is not in memory.
  std::shared_ptr<const RowMaker> row_maker(const StageId& id) const;
  RowMaker maker_of_map(const StageId& id) const;
  /// Whether rows of a stage that the pass did not keep can be computed one by one.
  bool is_made_by_rows(const StageId& id) const;
  /// Where the weights of a linear layer are.
  LinearColumns columns_at(const StageId& id) const;
  /// All numbers of a stage that is the weights of a linear layer.
  std::shared_ptr<const Matrix> weights_of(const StageId& id) const;

  Parts parts_;
  std::unique_ptr<Lazy> lazy_;
  std::vector<StageId> unused_;  ///< sorted
};

/// The stages and parameters that a stage was computed from, in the order in which its formula names them.
/// Empty for parameters and for stages that are given by hand.
std::vector<StageId> inputs_of(const Trace& trace, const StageId& id);
/// The weights that average the values: those after dropout, if there is dropout.
StageId weights_in_use(const Trace& trace, const StageId& place);

/// The heads that share keys and values with a head: “heads 0–2”, “heads 0 and 1”, or “head 0” if it shares
/// none.
std::string group_text(const Architecture& architecture, int head);

/// The formula of a stage with the options of this pass filled in ("raw / √16").
std::string formula(const Trace& trace, const StageId& id);

/// The product that a stage is, for all heads together: "einsum td,dhk->thk". The letters are t query, s key,
/// h head, d d_model, k d_head, v d_value, f d_ff, w word, c latent, r shared key, e embedding. Empty if it
/// is no product.
std::string einsum_text(const Trace& trace, const StageId& id);

/// The magnitude at which numbers begin to be excluded from the range of colours. A mask puts some scores far
/// beyond all others, and a range that included them would leave the others without any colour. Infinite
/// except for masked scores.
float counted_below(const Trace& trace, const StageId& id);

/// The sizes of a stage: "[11 × 16]".
std::string shape_text(const Extent& extent);
std::string shape_text(const MatrixView& view);
/// The shape including the batch and the heads of the stage: "[8, 4, 11, 16]" is batch, heads, rows, columns.
std::string full_shape_text(const Trace& trace, const StageId& id);

}  // namespace headscope
