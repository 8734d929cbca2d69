#pragma once

#include "core/figure/token_strip.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// Places in the strip before the first query: the source's tokens in cross-attention.
int n_before_queries(const PageInputs& in);
/// The tokens of the selected attention with their ids, and which of them the model does not know.
TokenStripSpec strip_tokens(const PageInputs& in);
/// Adds who is selected, what it attends to, and what is padded.
void mark_strip(const PageInputs& in, PageTools& tools, TokenStripSpec& spec);

/// "from “it”: 3 weights ≥ 0.02 shown, 8 below"; empty where no query is shown.
std::string strip_statement(const TokenStripSpec& spec);
/// The sentence with lines from the selected query to what it attends to. As high as the room.
Page strip_page(const PageInputs& in, const PageSize& size, PageTools& tools);

}  // namespace headscope
