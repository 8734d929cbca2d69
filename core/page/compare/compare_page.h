#pragma once

#include "core/page/compare/compare_captions.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/data_table.h"

namespace headscope {

/// Shows one stage of the held subjects and of the edited one side by side on one scale, the difference B −
/// A, and the likeliest words of each subject at its selected token.
Page compare_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// The numbers of the page for A and B, if both predict words: the logits of their likeliest words
/// ("prediction"), and what becomes of the difference of these logits if B is computed with a part of A: a
/// head's output for all tokens ("heads") or for one ("head_rows"), or one token's row that enters a layer
/// ("layer_rows").
PageNumbers compare_numbers(const PageInputs& in, PageTools& tools);

}  // namespace headscope
