#pragma once

#include "core/page/parts/page_text.h"
#include "core/page/split/split_page.h"

namespace headscope {

/// A query and a key over all heads, as many heads on a line as keep their cells wide enough to be seen.
void add_head_rows(const PageInputs& in, PageTools& tools, const QueryAndKey& pair, PageText& page);

}  // namespace headscope
