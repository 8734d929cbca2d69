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
#include "core/tensor/view.h"
#include "core/text/demand.h"
#include "core/text/tokenizer.h"
#include "core/trace/absence.h"
#include "core/trace/stage.h"
#include "core/trace/window.h"

namespace headscope {

struct Model;        // core/model/model.h: architecture and weights
struct PassBuffers;  // core/model/pass.h: the numbers of one pass
struct PassEdits;    // core/model/pass_edits.h: interventions with their numbers
struct PassInputs;   // core/model/pass.h: what a pass is computed from
struct PassMasks;    // core/model/pass.h: its masks, combined
struct PassPlace;    // core/trace/stage_record.h
struct WholeLayer;   // core/model/pass.h: a layer in memory of its own
struct Unembedding;  // core/trace/unembedding.h: the words that can be predicted

/// Computes n rows of a stage from the first on, to out [n, columns]. Any thread may call it.
using RowMaker = std::function<void(int first, int n, float* out)>;

/// The sentences of a batch, which are padded to one length; one of them is traced.
struct BatchPlace {
  int n_sequences = 1;
  int sequence = 0;  ///< the one that is traced
  int n_padded = 0;  ///< tokens at its end that only fill it up
};

/// What a trained model only guesses in a pass (core/trace/guess.h).
struct Guesses {
  std::vector<int> rows;  ///< of the last stack, in their order
  std::string text;       ///< what is said of them; empty where there are none
};

/// The ordered, named intermediates of one forward pass. Immutable once published: any thread may read it.
class Trace {
 public:
  struct Parts {
    std::shared_ptr<const Model> model;
    bool is_given = false;  ///< the heads' own numbers are given by hand: what the model drew is not in them
    AttentionOptions options;
    std::shared_ptr<const PassMasks> masks;
    std::vector<Token> tokens;         ///< of the first stack
    std::vector<Token> target_tokens;  ///< of the decoder, where there are two stacks
    int tokens_in_sentence = 0;        ///< of the longer of both
    BatchPlace batch;
    std::shared_ptr<const Unembedding> unembedding;  ///< null without a final linear layer
    std::shared_ptr<const PassBuffers> buffers;
    std::shared_ptr<const PassEdits> edits;  ///< interventions and given stages; null: none
    GivenNumbers given;                      ///< parameters and stages
    TaskRows task_rows;
    int layers_done = 0;  ///< the encoder's, then the decoder's
    bool complete = true;
    double milliseconds = 0.0;
  };
  explicit Trace(Parts parts);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  const Architecture& architecture() const;
  const Model& model() const { return *parts_.model; }
  /// Whether its weights are random: nothing was learned.
  bool is_untrained() const;
  const AttentionOptions& options() const { return parts_.options; }
  const BatchPlace& batch() const { return parts_.batch; }
  const TaskRows& task_rows() const { return parts_.task_rows; }
  /// The demand of a row of the last stack; Demand::repeats beyond what the task knows, and without a task.
  Demand demand(int row) const;
  /// Found at the first call, as that reads the head's weights and the logits of all rows, and kept.
  const Guesses& guesses() const;
  /// False for a trace published while later layers are still being computed.
  bool complete() const { return parts_.complete; }

  /// The mask of the attention that a stage belongs to, combined and as it was requested.
  const CombinedMask& mask(const StageId& id) const;
  const MaskSpec& mask_spec(const StageId& id) const;
  /// The sliding window of that attention; nothing where its layer is global, or it is cross-attention.
  std::optional<int> sliding_window(const StageId& id) const;

  /// The interventions in it and what is given of its stages, with their numbers; null: there is nothing.
  const PassEdits* edits() const { return parts_.edits.get(); }
  /// What is given by hand, in place of what would be drawn, read or computed; and of one stage, null where
  /// it is not given.
  const GivenNumbers& given() const { return parts_.given; }
  std::shared_ptr<const OwnedMatrix> given(const StageId& id) const;
  /// What it was computed from, and what it keeps: for passes that begin where this one is. They live as long
  /// as the trace.
  PassInputs pass_inputs() const;
  const PassBuffers& kept() const { return *parts_.buffers; }

  /// Tokens of the first stack, and of any stack.
  const std::vector<Token>& tokens() const { return parts_.tokens; }
  const std::vector<Token>& tokens(Stack stack) const;
  /// Tokens along an axis of a stage: of the stack for queries, of what is looked at for keys.
  const std::vector<Token>& tokens(const StageId& id, Axis axis) const;
  /// Tokens that the sentence has; more than tokens() where the memory limit cut it.
  int tokens_in_sentence() const { return parts_.tokens_in_sentence; }
  int n_tokens() const { return static_cast<int>(parts_.tokens.size()); }
  /// Words of the final linear layer; empty without one.
  const std::vector<std::string>& vocabulary() const;
  /// Memory of the pass's numbers.
  std::size_t bytes() const;
  /// Time of the forward pass, in milliseconds; measured.
  double milliseconds() const { return parts_.milliseconds; }

  /// Stages that this pass has and uses, in the order in which they are computed, parameters before their
  /// use.
  std::vector<StageId> stages() const;
  /// Whether numbers of the pass depend on a stage: not where only stages would be computed from it that are
  /// given by hand. Of a pass that is not complete, all are used.
  bool uses(const StageId& id) const;
  bool has(const StageId& id) const { return absence(id) == Absence::none; }
  /// Why the pass has no such stage; Absence::none if it has it.
  Absence absence(const StageId& id) const;
  /// What decides which stages it has.
  PassTraits traits() const;
  /// The numbers of a stage; empty where the pass has no such stage. The view lives as long as the trace.
  /// What the pass did not keep or did not need is computed at the first call and kept (thread-safe), which
  /// may take as much memory as the pass: read() keeps nothing.
  MatrixView value(const StageId& id) const;

  /// How many rows and columns a stage has, without computing it; none where the pass has no such stage.
  Extent extent(const StageId& id) const;
  /// The numbers of a window, which must be within the stage. Where the pass did not keep them, only the
  /// window's rows are computed, and not kept either; but what they are computed from is, for a while.
  StageNumbers read(const StageId& id, const StageWindow& window) const;
  /// One number of a stage; its cell must be there.
  float number(const StageId& id, int row, int col) const;
  /// Whether a row is read without a whole layer being computed again first.
  bool is_at_hand(const StageId& id) const;
  /// Exact, over all cells; computed at the first call and kept. Nothing where `stop` became true.
  std::optional<StageStats> stats(const StageId& id, const std::atomic<bool>* stop = nullptr) const;
  /// The same where it was computed before, and nothing elsewhere.
  std::optional<StageStats> stats_if_known(const StageId& id) const;

  /// "it" for a token axis of a stage, "17" for a dimension. Words as shown_word() shows them.
  std::string label(const StageId& id, Axis axis, int index) const;
  /// The same with the whole word, for files.
  std::string whole_label(const StageId& id, Axis axis, int index) const;

 private:
  struct Lazy;
  bool is_computed(const StageId& id) const;
  /// Where its numbers are in what the pass keeps; nowhere elsewhere.
  MatrixView kept_by_pass(const StageId& id) const;
  PassPlace place_of(const StageId& id) const;
  bool keeps_layers() const;
  /// Whether the id is of a layer's part that is computed again with the projections alone.
  bool is_projected(const StageId& id) const;
  /// The layer of an id, of which the pass kept only its input and the outputs of its heads.
  std::shared_ptr<const WholeLayer> layer_again(const StageId& id) const;
  /// Of that layer, only the norm, queries, keys and values of its self-attention.
  std::shared_ptr<const WholeLayer> projections_again(const StageId& id) const;
  template <class Compute>
  std::shared_ptr<const WholeLayer> computed_again(const Compute& compute, const StageId& id) const;
  /// All numbers of a stage that is in a layer, wherever that is.
  StageNumbers of_layer(const StageId& id) const;
  /// Computes rows of a stage that is not in memory.
  std::shared_ptr<const RowMaker> row_maker(const StageId& id) const;
  RowMaker maker_of_map(const StageId& id) const;
  bool is_made_by_rows(const StageId& id) const;

  Parts parts_;
  std::unique_ptr<Lazy> lazy_;
  std::vector<StageId> unused_;  ///< sorted
};

/// The heads that share keys and values with one: “heads 0–2”, “heads 0 and 1”, “head 0” where none do.
std::string group_text(const Architecture& architecture, int head);

/// The formula of a stage with this pass's options filled in ("raw / √16").
std::string formula(const Trace& trace, const StageId& id);

/// What all heads compute together, as einsum_text() of the kind has it, but of keys and values that are made
/// from a latent.
std::string einsum_text(const Trace& trace, const StageId& id);

/// Magnitudes from this on take no part in a range of colours: what a mask puts far beyond all scores would
/// leave these without any colour. Infinite for all but masked scores.
float counted_below(const Trace& trace, const StageId& id);

/// "[11 × 16]" with real sizes.
std::string shape_text(const Extent& extent);
std::string shape_text(const MatrixView& view);
/// Including the batch and the heads of the stage: "[8, 4, 11, 16]" is batch, heads, rows, columns.
std::string full_shape_text(const Trace& trace, const StageId& id);

}  // namespace headscope
