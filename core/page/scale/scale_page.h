#pragma once

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/headline.h"
#include "core/page/scale/scale_gradients.h"
#include "core/page/scale/scale_jacobian.h"
#include "core/page/scale/scale_row.h"

namespace headscope {

/// Explains why scores are divided by √d_head. Shows, with and without the division, the selected query's
/// scores, weights and softmax Jacobian, the same measures over all queries of each head and over random
/// queries and keys of any width, and how much of the loss gradient passes through softmax in the model's
/// task.
Page scale_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// What the division does to the selected row.
Headline scale_headline(const PageInputs& in, PageTools& tools);

/// The numbers of the page, each with and without the division: the selected query's "row" and its
/// "jacobian", the "heads" of the attention, and "random" queries and keys. Fails if there is no row to show.
PageNumbers scale_numbers(const PageInputs& in, PageTools& tools);

}  // namespace headscope
