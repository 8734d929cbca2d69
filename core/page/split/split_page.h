#pragma once

#include <optional>
#include <string>

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/headline.h"

namespace headscope {

/// A query and a key of the sentence.
struct QueryAndKey {
  int query = 0;
  int key = 0;
};
/// The selected token as a query, and the key that is pinned or under the mouse, or else the token's own.
QueryAndKey shown_pair(const PageInputs& in);

/// Shows an example with the same six numbers as query and key in one, two and three heads. Below, a query
/// and a key of the sentence over all heads, their scores, and the scaled scores of the selected head.
Page split_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// What the selected word attends to in each head of the layer.
Headline split_headline(const PageInputs& in, PageTools& tools);

/// The cell of the pass to which a cell in one of the tables of all heads corresponds. Empty for other
/// tables.
std::optional<Pin> cell_of_head_rows(const PageInputs& in, const std::string& table, CellIndex cell);

}  // namespace headscope
