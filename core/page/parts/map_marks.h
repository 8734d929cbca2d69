#pragma once

#include <optional>
#include <vector>

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// The cell of a map that a cell of the session's own stage stands for; nothing where there is none.
std::optional<CellIndex> cell_of_map(const PageMemo& memo, const MapPanel& panel, const Pin& pin);

/// How a cell of the session's pass was computed, kept while the pass and the cell stay; null where it has no
/// derivation, or where what that reads is not at hand yet.
const Explanation* derivation_of(const PageInputs& in, PageTools& tools, const Pin& cell);

/// Frames around the rows and columns of a map that a derivation was computed from, the map's corner at (0,
/// 0).
Figure source_marks(const Explanation& explanation, const MapPanel& panel, const Theme& theme);
/// Outlines of a pinned and a hovered cell, the map's corner at (0, 0).
Figure cell_marks(const std::optional<CellIndex>& pinned, const std::optional<CellIndex>& hovered,
                  const MapPanel& panel, const Theme& theme);

/// Where the corner of a region's map is on its page.
Point corner_of(const StageCells& cells, const MapPanel& panel);

/// Outlines the pinned cell on all maps of a page that show it, and frames what it was computed from.
void append_marks(Page& page, const PageInputs& in, PageTools& tools);

}  // namespace headscope
