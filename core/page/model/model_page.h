#pragma once

#include <optional>

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

/// The row of the selected token in a stage. Empty if none is selected, or if the rows of the stage are not
/// those of its text.
std::optional<int> followed_row(const Trace& trace, const Selection& selection, const StageId& stage);

/// Shows the model's diagram centred in the width, or at its own width if that is greater. The selected stage
/// and its sources are marked, the row of the selected token stands out in all pictures, and for a difference
/// each part says how many of its rows changed. Above the diagram are the shape, the place and the formula of
/// the selected stage.
Page model_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// How many layers and heads the words go through, and how large their rows are.
Headline model_headline(const PageInputs& in, PageTools& tools);

}  // namespace headscope
