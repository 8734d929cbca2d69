#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/trace/explain.h"

namespace headscope {

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
