#pragma once

#include "core/figure/token_strip.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// Places in the strip before the first query: the source's tokens in cross-attention.
int n_before_queries(const PageInputs& in);

/// "from “it”: 3 weights ≥ 0.02 shown, 8 below"; empty where no query is shown.
std::string strip_statement(const TokenStripSpec& spec);

/// The room of the sentence on a page.
struct StripRoom {
  float width = 0.0F;
  float one_row = 0.0F;  ///< height of a sentence that fits on one row, with its lines
  float most = 0.0F;     ///< height at most: of the rows of a long sentence as many are in sight as fit
};

/// The sentence with lines from the selected query to what it attends to. What of its rows is in sight is
/// said, and stays in `tools.memo.strip`.
Page strip_page(const PageInputs& in, const StripRoom& room, PageTools& tools);

}  // namespace headscope
