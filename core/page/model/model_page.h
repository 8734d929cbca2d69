#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/headline.h"

namespace headscope {

/// A note for each box of the diagram that says what changed in it.
struct ChangeNotes {
  std::shared_ptr<const Trace> trace, against;
  std::vector<StageId> boxes, counterparts;  ///< The stage of each box, and the one to compare it with.
  bool operator==(const ChangeNotes&) const = default;

  using Answer = std::vector<std::string>;
  Slices<std::vector<std::string>> answer() const;
};

/// Returns the stages of a pass for one head, layer by layer: those that depend on the sentence, or the
/// parameters. Omits stages of a single-layer model that only repeat another one under a second name.
std::vector<StageId> steps_of_pass(const Trace& trace, bool parameters, int head);

/// The path of the data through the diagram: the stages of its boxes in the order in which the data reaches
/// them, without duplicates. Of the heads, only the given one.
struct DiagramPath {
  std::shared_ptr<const Trace> trace;
  int head = 0;
  bool operator==(const DiagramPath&) const = default;

  using Answer = std::vector<StageId>;
  std::vector<StageId> answer() const;
};

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

/// Shows the model's diagram, scaled to be readable or to fit. Marks the walked stage and its sources,
/// highlights the row of the selected token in all pictures and, for a difference, says how many rows of each
/// part changed. If there is space beside the diagram, explains what the stage computes from the selected
/// token's row; otherwise the heading names the stage.
Page model_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// The numbers of layers and heads that the words pass through, and the size of their rows.
Headline model_headline(const PageInputs& in, PageTools& tools);

}  // namespace headscope
