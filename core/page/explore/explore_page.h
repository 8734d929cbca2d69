#pragma once

#include "core/page/explore/strip_page.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// The kind of stage that the small maps show.
StageKind small_heads_kind(const PageInputs& in);

/// Shows the sentence with lines from the selected token, small maps of all heads, and a large map of the
/// selected stage. The page is as high as its space, or higher if that is too low.
Page explore_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
