#pragma once

#include "core/page/parts/page_text.h"
#include "core/page/split/split_page.h"

namespace headscope {

/// Adds a query and a key with the dimensions of all heads side by side. Each line has as many heads as leave
/// their cells wide enough to be visible.
void add_head_rows(const PageInputs& in, PageTools& tools, const QueryAndKey& pair, PageText& page);

}  // namespace headscope
