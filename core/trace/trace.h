#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/architecture.h"
#include "core/model/attention_options.h"
#include "core/model/graph.h"
#include "core/model/interventions.h"
#include "core/model/stage.h"
#include "core/result.h"
#include "core/tensor/matrix.h"
#include "core/tensor/view.h"
#include "core/text/expectation.h"
#include "core/text/tokenizer.h"
#include "core/trace/number_source.h"

namespace headscope {

class ModelFiles;        // core/model/trained_model.h: the files of a model that is read when it is needed
struct Model;            // core/model/model.h: architecture and weights
struct PassBuffers;      // core/model/pass.h: the numbers of one pass
struct PassEdits;        // core/model/pass_edits.h: interventions with their numbers
struct PassInputs;       // core/model/pass.h: what a pass is computed from
struct PassMasks;        // core/model/pass.h: its masks, combined
class Linear;            // core/model/linear.h: the weights of a linear layer
struct RecomputedLayer;  // core/model/pass.h: a layer that was computed again

/// Computes rows [first, first + n) of a stage into out [n, columns]. Thread-safe.
using RowFunction = std::function<void(int first, int n, float* out)>;

/// The vocabulary and weights of the final linear layer.
struct Unembedding {
  std::vector<std::string> words;
  std::shared_ptr<const Linear> linear;  ///< [D, words]
};

/// Columns of the weights of a linear layer.
struct LinearColumns {
  const Linear& linear;
  int first, n;
};

/// The position of the traced sentence in a padded batch.
struct BatchPosition {
  int n_sequences = 1;
  int sequence = 0;  ///< the traced sentence
  int n_padded = 0;  ///< its number of padding tokens
};

/// The rows of a pass that are guesses (core/trace/guess.h).
struct Guesses {
  std::vector<int> rows;  ///< rows of the last stack, in ascending order
  std::string text;       ///< a notice about them; may be empty
};

/// The first cell of a pass that overflows float32.
struct Overflow {
  StageId stage;
  int row = 0, col = 0;
  float value = 0.0F;  ///< NaN or infinite
};

/// The stages of one forward pass, named and in order. Immutable and thread-safe once published.
class Trace {
 public:
  struct Parts {
    std::shared_ptr<const Model> model;
    /// Whether the user entered Q, K, V or scores, which override the model's.
    bool is_given = false;
    AttentionOptions options;
    std::shared_ptr<const Graph> graph;  ///< that of the model with these options
    std::shared_ptr<const PassMasks> masks;
    std::vector<Token> tokens;         ///< tokens of the first stack
    std::vector<Token> target_tokens;  ///< tokens of the decoder if there are two stacks
    int n_sentence_tokens = 0;         ///< length of the longer sentence
    BatchPosition batch;
    std::shared_ptr<const Unembedding> unembedding;  ///< null if there is no final linear layer
    std::shared_ptr<const PassBuffers> buffers;
    std::shared_ptr<const PassEdits> edits;  ///< interventions and given stages, or null
    GivenNumbers given;                      ///< parameters and stages entered by the user
    TaskRows task_rows;
    std::shared_ptr<const ModelFiles> files;  ///< for loading weights lazily; may be null
    int layers_done = 0;                      ///< layers computed so far, encoder first
    bool complete = true;
    double milliseconds = 0.0;
  };
  explicit Trace(Parts parts);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  const Architecture& architecture() const;
  const Model& model() const { return *parts_.model; }
  /// Whether the weights are random.
  bool is_untrained() const;
  const AttentionOptions& options() const { return parts_.options; }
  const BatchPosition& batch() const { return parts_.batch; }
  const TaskRows& task_rows() const { return parts_.task_rows; }
  /// What the task expects in a row of the last stack; Expectation::repeats by default.
  Expectation expectation(int row) const;
  /// Lazy: the first call reads the logits of all rows.
  const Guesses& guesses() const;
  /// The first cell in order of computation that is NaN or infinite, other than hidden ones. Empty if all
  /// kept numbers are finite or the pass is incomplete. Lazy: the first call reads all numbers.
  const std::optional<Overflow>& overflow() const;
  /// Fails if a file of the model has changed since it was opened. Since numbers may be read from it at any
  /// time, code that shows or writes numbers must call this after reading them.
  Result<void> check_files() const;
  /// False if later layers are still being computed.
  bool complete() const { return parts_.complete; }

  /// The mask of a stage's attention, combined and as specified.
  const CombinedMask& mask(const StageId& id) const;
  const MaskSpec& mask_spec(const StageId& id) const;
  /// The sliding window of that attention. Empty for global layers and cross-attention.
  std::optional<int> sliding_window(const StageId& id) const;

  /// The interventions and given stages, or null.
  const PassEdits* edits() const { return parts_.edits.get(); }
  /// The numbers entered by the user, which override drawn, read or computed ones. For a single stage, may be
  /// null.
  const GivenNumbers& given() const { return parts_.given; }
  std::shared_ptr<const OwnedMatrix> given(const StageId& id) const;
  /// The inputs and kept numbers of the pass, for passes derived from it. Live as long as the trace.
  PassInputs pass_inputs() const;
  const PassBuffers& kept() const { return *parts_.buffers; }

  /// The tokens of the first stack, and those of any stack.
  const std::vector<Token>& tokens() const { return parts_.tokens; }
  const std::vector<Token>& tokens(Stack stack) const;
  /// The tokens along an axis of a stage (the encoder's for keys of cross-attention).
  const std::vector<Token>& tokens(const StageId& id, Axis axis) const;
  /// The tokens in the sentence; more than tokens() if the memory limit truncated it.
  int n_sentence_tokens() const { return parts_.n_sentence_tokens; }
  int n_tokens() const { return static_cast<int>(parts_.tokens.size()); }
  /// The words of the unembedding. Empty without one.
  const std::vector<std::string>& vocabulary() const;
  /// The memory of the pass in bytes.
  std::size_t bytes() const;
  /// The duration of the forward pass.
  double milliseconds() const { return parts_.milliseconds; }

  /// The stages that the pass has and uses, in order of computation.
  std::vector<StageId> stages() const;
  /// Whether the pass uses a stage; false if only given stages would be computed from it. In an incomplete
  /// pass, all stages count as used.
  bool uses(const StageId& id) const;
  bool has(const StageId& id) const { return parts_.graph->has(id) && is_computed(id); }
  /// Why the pass does not have a stage. Empty if it does.
  std::string why_absent(const StageId& id) const;
  const Graph& graph() const { return *parts_.graph; }
  /// The numbers of a stage, as long as the trace lives. Empty if the pass lacks it. Numbers that the pass
  /// did not keep are computed and cached (thread-safe), which may take as much memory as the pass itself;
  /// prefer read().
  MatrixView value(const StageId& id) const;

  /// The size of a stage, without computing it. Empty if the pass lacks it.
  Extent extent(const StageId& id) const;
  /// Reads a window, which must lie within the stage. Rows that the pass did not keep are computed on demand
  /// and not cached; their inputs are cached for a while, as are weights unless the window has few columns.
  StageNumbers read(const StageId& id, const StageWindow& window) const;
  /// Reads a row, which must exist: [1, extent(id).cols].
  StageNumbers read_row(const StageId& id, int row) const { return read(id, {row, 0, 1, extent(id).cols}); }
  /// Reads one cell, which must exist.
  float number(const StageId& id, int row, int col) const;
  /// Whether rows can be read without recomputing an entire layer.
  bool is_quick_to_read(const StageId& id) const;
  /// Exact statistics over all cells, cached. Empty if `stop` became true.
  std::optional<StageStats> stats(const StageId& id, const std::atomic<bool>* stop = nullptr) const;
  /// The statistics if already cached.
  std::optional<StageStats> cached_stats(const StageId& id) const;

  /// The label of an index: "it" along a token axis, "17" for a dimension. Words are truncated by
  /// display_word().
  std::string label(const StageId& id, Axis axis, int index) const;
  /// The same with the full word, for files.
  std::string full_label(const StageId& id, Axis axis, int index) const;

 private:
  struct Lazy;
  bool is_computed(const StageId& id) const;
  /// The numbers of a stage kept by the pass, or empty.
  MatrixView pass_numbers(const StageId& id) const;
  /// The numbers of a stage, given the address of its first number for all heads.
  MatrixView numbers_at(const StageId& id, const float* first) const;
  std::optional<Overflow> overflow_in(const StageId& id) const;
  std::optional<Overflow> find_overflow() const;
  bool keeps_layers() const;
  /// Whether the stage can be recomputed from the steps up to queries, keys and values.
  bool is_projected(const StageId& id) const;
  /// Recomputes the layer of a stage, or only the steps up to the queries, keys and values of its
  /// self-attention.
  std::shared_ptr<const RecomputedLayer> recomputed_layer(const StageId& id, bool is_projected) const;
  /// A stage of a recomputed layer.
  StageNumbers recomputed_stage(const StageId& id) const;
  /// The function that computes rows of a stage that is not in memory.
  std::shared_ptr<const RowFunction> row_function(const StageId& id) const;
  RowFunction map_row_function(const StageId& id) const;
  /// Whether the rows of a stage can be computed independently of each other.
  bool is_computed_by_rows(const StageId& id) const;
  /// The columns of a linear layer that belong to a stage.
  LinearColumns linear_columns(const StageId& id) const;
  /// The weights of a linear layer.
  std::shared_ptr<const Matrix> weights_of(const StageId& id) const;

  Parts parts_;
  std::unique_ptr<Lazy> lazy_;
  std::vector<StageId> unused_;  ///< sorted
};

/// The inputs of a stage in the order of its formula. Empty for parameters and given stages.
std::vector<StageId> inputs_of(const Trace& trace, const StageId& id);
/// The weights that average the values, i.e. after dropout, if any.
StageId weights_in_use(const Trace& trace, const StageId& place);

/// The heads of a group that shares keys and values: “heads 0–2”, “heads 0 and 1”, or “head 0”.
std::string group_text(const Architecture& architecture, int head, int layer);

/// The formula of a stage with the options of the pass ("raw / √16").
std::string formula(const Trace& trace, const StageId& id);

/// The einsum of a stage for all heads: "einsum td,dhk->thk". Letters: t query, s key, h head, d d_model, k
/// d_head, v d_value, f d_ff, w word, c latent, r shared key, e embedding or expert. Empty if it is no
/// product.
std::string einsum_text(const Trace& trace, const StageId& id);

/// The magnitude from which numbers are excluded from the colour range, because masked scores would dominate
/// it. Infinite except for masked scores.
float visible_magnitude_limit(const Trace& trace, const StageId& id);

/// The size as text: "[11 × 16]".
std::string shape_text(const Extent& extent);
std::string shape_text(const MatrixView& view);
/// The shape including the batch and the heads of the stage: "[8, 4, 11, 16]" is batch, heads, rows, columns.
std::string full_shape_text(const Trace& trace, const StageId& id);

}  // namespace headscope
