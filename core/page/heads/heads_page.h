#pragma once

#include "core/page/heads/head_tiles.h"
#include "core/page/heads/head_values.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/headline.h"

namespace headscope {

/// Shows the selected stage of every head side by side, as large as the space allows; the page grows
/// downwards if they would become too small. If the stage does not exist per head, shows the heads' weights
/// beside it, and the heading says so.
Page heads_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// What the selected head does.
Headline heads_headline(const PageInputs& in, PageTools& tools);

/// The measures of all "heads" of the selected attention, on the texts that the session asks for.
PageNumbers heads_numbers(const PageInputs& in, PageTools& tools);

}  // namespace headscope
