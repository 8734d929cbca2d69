#pragma once

#include <optional>
#include <string>

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// A query and a key of the sentence.
struct QueryAndKey {
  int query = 0;
  int key = 0;
};
/// The selected token and the key that is pinned or under the mouse; else the token's own key.
QueryAndKey shown_pair(const PageInputs& in);

/// An example, the same six numbers as query and key in one head, in two and in three; below it a query and a
/// key of the sentence over all heads, their scores, and the scaled scores of the selected head.
Page split_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// The cell of the pass that a cell of one of the tables of all heads is; nothing for other tables.
std::optional<Pin> cell_of_head_rows(const PageInputs& in, const std::string& table, CellIndex cell);

}  // namespace headscope
