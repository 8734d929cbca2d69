#pragma once

#include "core/figure/position_map.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/headline.h"

namespace headscope {

/// Whether encodings of this kind can have any width.
bool has_free_width(Positions kind);

/// The positions that the page shows.
PositionSource shown_positions(const PageInputs& in);

/// Shows how the model knows the order of its words: a picture of the positions, their similarity, this
/// sentence's attention weights, and where the positions affect the sentence. The page is as high as its
/// contents.
Page positions_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// How the model knows the order of the words.
Headline positions_headline(const PageInputs& in, PageTools& tools);

/// Describes a cell of one of the page's tables, and names the corresponding cell of the pass if there is
/// one. position_cell() is empty for other tables.
struct PositionCell {
  std::string said;
  std::optional<Pin> in_pass;
};
std::optional<PositionCell> position_cell(const PageInputs& in, const PageMemo& memo,
                                          const std::string& table, CellIndex cell);

}  // namespace headscope
