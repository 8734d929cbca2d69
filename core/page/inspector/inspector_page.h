#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/trace/explain.h"

namespace headscope {

/// The cell that the inspector explains: the pinned one or, if none is pinned, the one under the mouse.
std::optional<Pin> inspected(const Trace& trace, const std::optional<Pin>& pin,
                             const std::optional<Pin>& hovered);
/// The query whose weights are shown: the one under the mouse, or else the selected one, or else that of the
/// pinned cell.
std::optional<int> shown_query(const PageInputs& in);

/// Shows how one cell was computed, or how to compute it if it is covered; in a lower room than that takes,
/// what the cell is. Empty without a cell.
Page cell_page(const PageInputs& in, const std::optional<Pin>& cell, const PageSize& room, PageTools& tools);

/// The name of the map of the products of what wrote a query and a key, for the mouse.
inline constexpr const char* score_pairs_slot = "score pairs";
/// Says what a cell of this map means. Empty if nothing is known of it.
std::string said_of_pair(const PageInputs& in, const PageMemo& memo, CellIndex cell);
/// The head that is a part of such a pair: that of the key or else that of the query. Empty if neither is a
/// head.
std::optional<HeadId> head_of_pair(const PageMemo& memo, CellIndex cell);

/// Shows how the inspected cell was computed, what the selected token looks at, and what the model predicts
/// there. The page is as high as its contents.
Page inspector_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
