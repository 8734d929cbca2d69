#pragma once

#include "core/figure/token_strip.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// The number of tokens in the strip before the first query: those of the source in cross-attention.
int n_before_queries(const PageInputs& in);

/// Whether each word has its position below it: with details, or if two sentences are numbered separately.
bool strip_shows_numbers(const PageInputs& in);

/// The space for the sentence on a page.
struct StripRoom {
  float width = 0.0F;
  float one_row = 0.0F;  ///< The height of a sentence on one row, including its lines.
  float most = 0.0F;     ///< The maximum height, which limits the visible rows of a long sentence.
};

/// Draws the sentence with lines from the selected query to the tokens that it attends to. A SentenceArea
/// says which rows are visible; `tools.memo.strip` caches the layout.
Page strip_page(const PageInputs& in, const StripRoom& room, PageTools& tools);

}  // namespace headscope
