#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/page/heads/head_values.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// The place of a tile's text: on one line above the picture, on three lines beside it, or above and below.
enum class TileText { above, beside, around };

/// The arrangement of the heads' thumbnails.
struct TileGrid {
  int columns = 1;
  float tile_width = 0.0F;   ///< Without the gap.
  float side = 0.0F;         ///< The side of a thumbnail.
  float text_height = 0.0F;  ///< The height of the text above and below it.
  float gap = 0.0F;
  TileText text = TileText::around;
  float width(int n) const;
  float tile_height() const;
};

/// Lays out `n` thumbnails as large as the space allows. A model with several layers gets one row per layer.
/// `n_cells` is the number of rows or columns of their maps; large cells are rounded to whole units.
TileGrid tile_grid(const Architecture& architecture, int n, int n_cells, PageSize room);

/// Explains the short word beside a head without a role. Empty if no tile has it.
std::string legend_of_tiles(const PageInputs& in, const PageTools& tools, const HeadValues& values,
                            const std::vector<HeadIndex>& places, const TileGrid& grid);

/// Draws a thumbnail of each head with its place, what it does, and the value by which the heads are sorted.
/// Each is a HeadTile region.
Page head_tiles_page(const PageInputs& in, PageTools& tools, const HeadValues& values,
                     const std::vector<HeadIndex>& places, const TileGrid& grid);

/// The head this many tiles to the right of `from` and this many rows below it. Horizontal movement stops at
/// the first and last tile; movement past the first or last row is ignored. The first head if `from` is not
/// on the page; empty if the page has no tiles.
std::optional<HeadIndex> adjacent_head(const Page& page, const HeadIndex& from, int right, int down);

/// The selected stage if it exists once per head. Otherwise, the attention weights.
StageKind tile_stage_kind(const PageInputs& in);

/// Returns a thumbnail of that stage for each head, at most `side` wide and high. Null while small_pictures()
/// is.
const std::vector<Figure>* thumbnails(const PageInputs& in, PageTools& tools,
                                      const std::vector<HeadIndex>& places, float side);

}  // namespace headscope
