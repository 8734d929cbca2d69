#pragma once

#include "core/page/explore/strip_page.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// The kind of stage that the small maps of all heads show.
StageKind small_heads_kind(const PageInputs& in);

/// The sentence with lines from the selected token, small maps of all heads, and the selected stage large. As
/// high as the room, or higher where that is too low.
Page explore_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
