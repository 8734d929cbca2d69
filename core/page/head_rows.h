#pragma once

#include "core/page/page_text.h"
#include "core/page/split_page.h"

namespace headscope {

/// A query and a key over all heads, as many heads on a line as keep their cells wide enough to be seen.
void add_head_rows(const PageInputs& in, PageTools& tools, const QueryAndKey& pair, PageText& page);

/// The cell of the pass that a cell of one of their tables is; nothing for other tables.
std::optional<Pin> cell_of_head_rows(const PageInputs& in, const std::string& table, CellIndex cell);

}  // namespace headscope
