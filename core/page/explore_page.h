#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// The kind of stage that the small maps of all heads show.
StageKind small_heads_kind(const PageInputs& in);

/// Small maps of all heads below each other, two in a row where there are many. As high as they need.
Page small_heads_page(const PageInputs& in, const PageSize& size, PageTools& tools);
/// The selected stage, with its title and formula. As high as the room.
Page large_map_page(const PageInputs& in, const PageSize& size, PageTools& tools);
/// The sentence with lines from the selected token, all heads, and the selected stage.
Page explore_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
