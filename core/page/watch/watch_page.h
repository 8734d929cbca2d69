#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/headline.h"

namespace headscope {

/// Shows how the selected head computes the row of the selected query, up to `session.watch_step`: the query
/// beside each key, their products, the sums, the scaled and masked scores, exponentials, weights, weighted
/// values, and the output. Lists all keys if they are few, otherwise those with the greatest weights. The
/// words of the list are TokenArea regions. If the row is not computed in these steps, the page says why.
Page watch_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// What the word of the watched row attends to.
Headline watch_headline(const PageInputs& in, PageTools& tools);

}  // namespace headscope
