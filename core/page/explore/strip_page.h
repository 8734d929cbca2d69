#pragma once

#include "core/figure/token_strip.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// The number of tokens in the strip before the first query. In cross-attention, these are the tokens of the
/// source.
int n_before_queries(const PageInputs& in);

/// Whether each word has its position below it: with details, and where two sentences are numbered
/// separately.
bool strip_shows_numbers(const PageInputs& in);

/// The space for the sentence on a page.
struct StripRoom {
  float width = 0.0F;
  float one_row = 0.0F;  ///< The height of a sentence that fits on one row, including its lines.
  float most = 0.0F;     ///< The greatest height. It limits how many rows of a long sentence are visible.
};

/// Draws the sentence with lines from the selected query to the tokens that it attends to. The page says
/// which rows are in sight, and `tools.memo.strip` keeps the layout.
Page strip_page(const PageInputs& in, const StripRoom& room, PageTools& tools);

}  // namespace headscope
