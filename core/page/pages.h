#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/part_effects.h"
#include "core/measures/tiled_head.h"
#include "core/page/page.h"
#include "core/page/parts/headline.h"
#include "core/textbook/computed_example.h"
#include "core/textbook/worked_examples.h"
#include "core/trace/explain.h"
#include "core/trace/summary.h"

namespace headscope {

class PageBuilder;

// For each page, in the order of the tabs: the function that draws it, its headline, and what the window
// needs to handle its mouse and keys. Pages with more declarations have a header in their folder.

/// The number of tokens in the strip before the first query: those of the source in cross-attention.
int n_before_queries(const PageInputs& in);

/// Shows the sentence with lines from the selected token, small maps of all heads, and a large map of the
/// selected stage. The page is as high as its space, or higher if that is too low.
Page explore_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// The stages that stages_page() shows, in the order of its steps.
std::vector<StageKind> stages_on_page(const PageInputs& in);

/// Shows every stage of the selected head in groups, from the input of its layer to the output. The page is
/// as high as its contents.
Page stages_page(const PageInputs& in, const PageSize& size, PageTools& tools);
Headline stages_headline(const PageInputs& in, PageTools& tools);

/// Shows how the selected head computes the row of the selected query, up to `session.watch_step`. Lists all
/// keys, as TokenArea regions, if they are few, otherwise those with the greatest weights.
Page watch_page(const PageInputs& in, const PageSize& size, PageTools& tools);
Headline watch_headline(const PageInputs& in, PageTools& tools);

/// The prediction that effects_page() explains: at the selected token, of the selected word or, if the model
/// does not know that, of the likeliest one. Empty if the model does not predict words.
std::optional<Prediction> explained_prediction(const PageInputs& in);

/// How much each part of the model contributes to a prediction.
struct PredictionParts {
  std::optional<PartEffects> effects;  ///< Empty if they would take too long to compute.
  DirectParts direct;
  std::vector<LayerGuess> guesses;
};
/// The prediction that a page explains, and its pass.
struct ExplainedPrediction {
  std::shared_ptr<const Trace> trace;
  Prediction prediction;
  bool operator==(const ExplainedPrediction&) const = default;

  using Answer = PredictionParts;
  static constexpr Lifetime life = Lifetime::view;
  Slices<PredictionParts> answer(const std::atomic<bool>& stop) const;
};

/// Shows the effect of each part of the model on a prediction: the change in logit and probability when only
/// that part is switched off (part_effects()), and what it adds directly to the logit. Below, attribution by
/// gradients stands beside attention, and the circuits of the selected head.
Page effects_page(const PageInputs& in, const PageSize& size, PageTools& tools);
Headline effects_headline(const PageInputs& in, PageTools& tools);

/// The sum of attention × gradient of each head, in the order of heads_of(). Empty if it is not known.
std::vector<double> attention_gradients(const PageInputs& in, PageTools& tools, const Prediction& prediction);

/// Adds what each token contributes to a logit by its gradient, beside the attention of the selected head.
void add_attribution(PageBuilder& page, const PageInputs& in, PageTools& tools, const Prediction& prediction);

/// Adds the circuits of the selected head: where it would look, and what it would write.
void add_circuits(PageBuilder& page, const PageInputs& in, PageTools& tools, const Prediction& prediction);

/// The numbers of both: "gradient_x_input" of each token, "attention_x_gradient" of each head and key, and
/// for the selected head its cells, "qk", "ov" and "singular_values".
std::vector<DataTable> attribution_tables(const PageInputs& in, PageTools& tools,
                                          const Prediction& prediction);

/// A tooltip sentence about a cell of the QK circuit. Empty for other tables.
std::string describe_circuit(const PageInputs& in, PageTools& tools, const std::string& table,
                             CellIndex cell);

/// A tooltip sentence about the effect of a part on the prediction. Empty while it is being computed.
std::string describe_effect(const PageInputs& in, PageTools& tools, const ModelPart& part);

/// The numbers of the page: "prediction", and for it the effects of all "heads" and of the "other_parts", the
/// guesses of the "layers", and, if the logit is a sum, its "parts" and the "sources" of what each head adds
/// directly; and the attribution_tables(). Fails if the model predicts no words.
PageNumbers effects_numbers(const PageInputs& in, PageTools& tools);

/// A note for each box of the diagram that says what changed in it. `boxes` are their stages, and
/// `counterparts` those to compare them with.
Slices<std::vector<std::string>> change_notes(const Trace& trace, const Trace& against,
                                              const std::vector<StageId>& boxes,
                                              const std::vector<StageId>& counterparts);
using ChangeNotes = Asked<change_notes>;

/// Returns the stages of a pass for one head, layer by layer: those that depend on the sentence, or the
/// parameters. Omits stages of a single-layer model that only repeat another one under a second name.
std::vector<StageId> steps_of_pass(const Trace& trace, bool parameters, int head);

/// The path of the data through the diagram: the stages of its boxes in the order in which the data reaches
/// them, without duplicates. Of the heads, only the given one.
std::vector<StageId> diagram_path(const Trace& trace, int head);

/// The number of steps on the path and the current one, counted from 1. Until the user walks, the current
/// step is that of the selected stage, or 0 if its box is not on the path.
int n_diagram_steps(const PageInputs& in, PageMemo& memo);
int diagram_step(const PageInputs& in, PageMemo& memo);
/// The step that reaches the box of a stage. 0 if there is none.
int step_of_stage(const PageInputs& in, PageMemo& memo, const StageId& stage);
/// The first step in the layer of a stage. 0 if there is none.
int first_step_of_layer(const PageInputs& in, PageMemo& memo, const StageId& stage);
/// The stage that the page explains: that of the current step or, until the user walks, the selected one.
/// Empty if the pass does not have it.
std::optional<StageId> walked_stage(const PageInputs& in, PageMemo& memo);
/// The layer that the diagram unfolds: that of the stage or, outside all layers, the nearest one.
int unfolded_layer(const PageInputs& in, PageMemo& memo);

/// The row of the selected token in a stage. Empty if none is selected, or if the stage's rows are not tokens
/// of its text.
std::optional<int> followed_row(const Trace& trace, const Selection& selection, const StageId& stage);

/// Shows the model's diagram, scaled to be readable or to fit, and beside it, if there is space, what the
/// walked stage computes from the selected token's row.
Page model_page(const PageInputs& in, const PageSize& size, PageTools& tools);
Headline model_headline(const PageInputs& in, PageTools& tools);

/// Shows which experts each word takes in the selected layer, with what share, how many words each expert
/// takes, and the first choice of each word in every layer.
Page experts_page(const PageInputs& in, const PageSize& size, PageTools& tools);
Headline experts_headline(const PageInputs& in, PageTools& tools);

/// The numbers of the page: the "shares" of the experts that each word takes, in all layers, and the "loads"
/// of the experts.
PageNumbers experts_numbers(const PageInputs& in, PageTools& tools);

/// Whether encodings of this kind can have any width.
bool has_free_width(Positions kind);

/// Shows how the model knows the order of its words. The page is as high as its contents.
Page positions_page(const PageInputs& in, const PageSize& size, PageTools& tools);
Headline positions_headline(const PageInputs& in, PageTools& tools);

/// Describes a cell of one of the page's tables, and names the corresponding cell of the pass if there is
/// one. position_cell() is empty for other tables.
struct PositionCell {
  std::string said;
  std::optional<Pin> in_pass;
};
std::optional<PositionCell> position_cell(const PageInputs& in, const PageMemo& memo,
                                          const std::string& table, CellIndex cell);
/// The same for a cell of the map of first experts.
std::optional<PositionCell> routed_cell(const PageInputs& in, PageTools& tools, CellIndex cell);

/// The word that was chosen to continue the text.
struct NextWord {
  int id = 0;
  std::string word;
  double probability = 0.0;
  std::string last_word;   ///< The word that it follows.
  bool has_ended = false;  ///< `last_word` ends the sentence, so nothing follows.
};
NextWord next_word(const PageInputs& in);

/// Whether the pass's model has an output layer.
bool predicts_words(const PageInputs& in);
/// What to do about a missing output layer: "add a final linear layer (Words), or open a trained model".
std::string_view cure_for_no_words(const PageInputs& in);
/// Whether the pass has predictions to show.
bool has_predictions(const PageInputs& in);

/// The row of the logits whose words are listed: that of the selected token if its stack makes the
/// predictions, or else the masked token's, or else the last.
int listed_row(const PageInputs& in);

/// Shows the word that continues the text, the likeliest words at the selected token, and maps of the logits
/// and probabilities or, if there are too many words, the answer of every row.
Page words_page(const PageInputs& in, const PageSize& size, PageTools& tools);
Headline words_headline(const PageInputs& in, PageTools& tools);

/// The targets of a pass's rows: those of the task, or the next words of the sentence.
Targets expected_words(const Trace& trace, bool of_task);
using ExpectedWords = Asked<expected_words>;

/// Shows what the model is trained for, and the selected head beside the curves of the loss and the accuracy.
/// Below them are the targets of this sentence and the gradient of a weight matrix.
Page train_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// The accuracy of a trained model: “98 % of pronouns right in new sentences of its own kind”. Empty if it
/// was not measured or the model has no task.
std::string accuracy_text(const TrainedModel& model);
Headline train_headline(const PageInputs& in, PageTools& tools);

/// Shows the targets of the next words of a decoder's sentence, with any weights. The figure is empty if no
/// next word is known.
Page next_targets_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// Describes a cell of one of the tables.
std::string describe_target(const PageInputs& in, const PageMemo& memo, CellIndex cell);
bool is_target_table(const std::string& table);

std::string describe_gradient(const PageInputs& in, CellIndex cell);

/// Whether the pass can be computed with a pencil: one layer of one head, with at most four words and four
/// numbers per row.
bool is_small_enough(const Trace& trace);
/// The same for a model and a number of words.
bool is_small_enough(const Architecture& architecture, std::size_t n_words);

/// The font size of numbers in cells of this side length.
float number_size_by_hand(float cell);

/// Shows all matrices of a small head as the equations that compute them, from the rows of the words to the
/// output. For any other pass, says what the page is for.
Page by_hand_page(const PageInputs& in, const PageSize& size, PageTools& tools);
Headline by_hand_headline(const PageInputs& in, PageTools& tools);

/// Shows an example with the same six numbers as query and key in one, two and three heads. Below, a query
/// and a key of the sentence over all heads, their scores, and the scaled scores of the selected head.
Page split_page(const PageInputs& in, const PageSize& size, PageTools& tools);
Headline split_headline(const PageInputs& in, PageTools& tools);

/// The cell of the pass to which a cell in one of the tables of all heads corresponds. Empty for other
/// tables.
std::optional<Pin> cell_of_head_rows(const PageInputs& in, const std::string& table, CellIndex cell);

/// The selected head and its tiles, whose size is that of the settings, clamped to the map.
TiledHead tiled_head_of(const PageInputs& in);

/// The number of tiles of the selected head. 0 if it has no scores.
int n_tiles_of(const PageInputs& in);

/// Shows the selected head's softmax as FlashAttention computes it: its scores with the current tile, the
/// state of each query, the output so far beside the plain one, and what either method reads and writes.
Page tiled_softmax_page(const PageInputs& in, const PageSize& size, PageTools& tools);
Headline tiled_softmax_headline(const PageInputs& in, PageTools& tools);

/// The numbers of the page: the "tiles", what is "kept" for each query of the current one and its "output",
/// and the "traffic" of both methods. Fails if the head's softmax cannot be computed tile by tile.
PageNumbers tiled_softmax_numbers(const PageInputs& in, PageTools& tools);

/// The worked example that the session names, or the first one if it does not exist.
const WorkedExample& shown_example(const Session& session);

/// The program's results for the shown example. Null while they are being computed.
const ComputedExample* computed_example(const PageInputs& in, PageTools& tools);

/// Shows a worked example: what it demonstrates, its source, and the printed numbers of each quantity beside
/// the computed ones. Marks and explains differences.
Page textbooks_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// Draws the user's own lessons as low cards and, below them, the program's lessons as cards with a summary,
/// in the recommended order.
Page lessons_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// The cell that the inspector explains: the pinned one or, if none is pinned, the one under the mouse.
std::optional<Pin> inspected(const Trace& trace, const std::optional<Pin>& pin,
                             const std::optional<Pin>& hovered);
/// The query whose weights are shown: the hovered one, or else the selected one, or else that of the pinned
/// cell.
std::optional<int> shown_query(const PageInputs& in);

/// Shows how one cell was computed, or how to compute it if it is covered. If the height does not suffice,
/// omits the tables, and then everything but the name of the cell. Empty without a cell.
Page cell_page(const PageInputs& in, const std::optional<Pin>& cell, const PageSize& room, PageTools& tools);

/// The slot of the map of products between the parts that wrote a query and those that wrote a key.
inline constexpr const char* score_pairs_slot = "score pairs";
/// Explains a cell of this map. Empty if it has no explanation.
std::string describe_pair(const PageInputs& in, const PageMemo& memo, CellIndex cell);
/// The head in the pair of parts at a cell: that of the key, or else that of the query. Empty if neither part
/// is a head.
std::optional<HeadId> head_of_pair(const PageMemo& memo, CellIndex cell);

/// Shows how the inspected cell was computed, what the selected token attends to, and what the model predicts
/// there. The page is as high as its contents.
Page inspector_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
