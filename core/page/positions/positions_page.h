#pragma once

#include "core/figure/position_map.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// Whether rows of positions have any width.
bool has_free_width(Positions kind);

/// The positions that the page is about.
PositionSource shown_positions(const PageInputs& in);

/// How the model knows the order of its words: a picture of the positions, how alike they are, this
/// sentence's attention weights, and where the positions meet the sentence. As high as that needs.
Page positions_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// What a cell of one of the page's tables says, and the same cell in the pass where that has it. Empty for
/// other tables.
struct PositionCell {
  std::string said;
  std::optional<Pin> in_pass;
};
std::optional<PositionCell> position_cell(const PageInputs& in, const PageMemo& memo,
                                          const std::string& table, CellIndex cell);

}  // namespace headscope
