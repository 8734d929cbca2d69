#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/trace/explain.h"

namespace headscope {

/// The cell that the inspector is about: the pinned one, else the one under the mouse.
std::optional<Pin> inspected(const Trace& trace, const std::optional<Pin>& pin,
                             const std::optional<Pin>& hovered);
/// The query whose weights are looked at: the one under the mouse, else the selected one, else the pinned
/// cell's.
std::optional<int> shown_query(const PageInputs& in);

/// How the inspected cell was computed, what the selected token looks at, and what the model answers there.
/// As high as that needs.
Page inspector_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
