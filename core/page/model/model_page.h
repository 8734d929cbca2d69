#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/headline.h"

namespace headscope {

/// What changed in each box of the diagram: a note for each.
struct ChangeNotes {
  std::shared_ptr<const Trace> trace, against;
  std::vector<StageId> boxes, counterparts;  ///< The stage of each box, and the one that it is compared with.
  bool operator==(const ChangeNotes&) const = default;

  using Answer = std::vector<std::string>;
  Slices<std::vector<std::string>> answer() const;
};

/// Returns the stages of a pass for one head, layer by layer: those that depend on the sentence, or the
/// parameters. For a model of one layer, stages that only repeat another one under a second name are left
/// out.
std::vector<StageId> steps_of_pass(const Trace& trace, bool parameters, int head);

/// The way of the data through the diagram: the stages of its boxes, each once, in the order in which the
/// data reaches them. Among the boxes of heads, only that of the given head counts.
struct DiagramWay {
  std::shared_ptr<const Trace> trace;
  int head = 0;
  bool operator==(const DiagramWay&) const = default;

  using Answer = std::vector<StageId>;
  std::vector<StageId> answer() const;
};

/// The steps of the way, counted from 1: how many there are, and the current one, which is that of the
/// selected stage (0 if its box is not on the way) until one walks.
int n_diagram_steps(const PageInputs& in, PageMemo& memo);
int diagram_step(const PageInputs& in, PageMemo& memo);
/// The step that reaches the box of a stage. 0 if there is none.
int step_of_stage(const PageInputs& in, PageMemo& memo, const StageId& stage);
/// The first step in the layer of a stage. 0 if there is none.
int first_step_of_layer(const PageInputs& in, PageMemo& memo, const StageId& stage);
/// The stage that the page is about: that of the current step, or the selected one until one walks. Empty if
/// the pass does not have it.
std::optional<StageId> walked_stage(const PageInputs& in, PageMemo& memo);
/// The layer whose inside the diagram shows: that of the stage or, outside of all layers, the nearest one.
int unfolded_layer(const PageInputs& in, PageMemo& memo);

/// The row of the selected token in a stage. Empty if none is selected, or if the rows of the stage are not
/// those of its text.
std::optional<int> followed_row(const Trace& trace, const Selection& selection, const StageId& stage);

/// Shows the model's diagram at a size at which it can be read, or as a whole. The walked stage and its
/// sources are marked, the row of the selected token stands out in all pictures, and for a difference each
/// part says how many of its rows changed. Where there is room beside the diagram, it says what the
/// stage makes of the selected token's row; otherwise the heading above names the stage.
Page model_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// How many layers and heads the words go through, and how large their rows are.
Headline model_headline(const PageInputs& in, PageTools& tools);

}  // namespace headscope
