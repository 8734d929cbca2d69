#pragma once

#include <optional>
#include <vector>

#include "core/lesson/lesson.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/trace/explain.h"
#include "core/trace/trace.h"

namespace headscope {

/// The cell of a map that corresponds to a cell of the session's stage. Empty if there is none.
std::optional<CellIndex> cell_of_map(const PageMemo& memo, const MapPanel& panel, const Pin& pin);

/// The derivation of a cell of the session's pass, cached for this pass and cell. Null if the cell has none,
/// or while the numbers that it reads are not available.
const Explanation* derivation_of(const PageInputs& in, PageTools& tools, const Pin& cell);

/// Frames around the rows and columns of a map that a derivation reads. The map's corner is at (0, 0).
Figure source_marks(const Explanation& explanation, const MapPanel& panel, const Theme& theme);
/// Outlines of a pinned and a hovered cell. The map's corner is at (0, 0).
Figure cell_marks(const std::optional<CellIndex>& pinned, const std::optional<CellIndex>& hovered,
                  const MapPanel& panel, const Theme& theme);

/// The page position of the corner of a region's map.
Point corner_of(const StageCells& cells, const MapPanel& panel);

/// Outlines the pinned cell on every map of a page that shows it, and frames its sources.
void append_marks(Page& page, const PageInputs& in, PageTools& tools);

/// The boxes that a lesson's step points at, on a page made from this session and pass. If the page draws a
/// stage several times, only in its largest map. Empty for a control.
std::vector<Box> focused_boxes(const Page& page, const LessonFocus& focus, const Session& session,
                               const Trace& trace);

}  // namespace headscope
