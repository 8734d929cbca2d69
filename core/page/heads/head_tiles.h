#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/page/heads/head_values.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// Where the text of a tile is: on one line above the picture, in three lines beside it, or above and below
/// it.
enum class TileText { above, beside, around };

/// How the thumbnails of heads are arranged in a room.
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

/// Lays out thumbnails as large as the room allows. A model with several layers gets one row per layer. `n`
/// is the number of heads shown. `n_cells` is the number of rows or columns of their maps; cells that are
/// large enough have whole numbers of units.
TileGrid tile_grid(const Architecture& architecture, int n, int n_cells, PageSize room);

/// Says what the short word beside a head without a role means. Empty if no tile has it.
std::string legend_of_tiles(const PageInputs& in, const PageTools& tools, const HeadValues& values,
                            const std::vector<HeadPlace>& places, const TileGrid& grid);

/// Draws a thumbnail of each head with its place, what it does, and the value by which the heads are sorted.
/// Each is a HeadTile region.
Page head_tiles_page(const PageInputs& in, PageTools& tools, const HeadValues& values,
                     const std::vector<HeadPlace>& places, const TileGrid& grid);

/// The head that lies this many tiles to the right of `from` and this many rows below it. Movement to the
/// right stops at the first and at the last tile; movement past the first or last row is ignored. The first
/// head if `from` is not on the page; empty if the page has no tiles.
std::optional<HeadPlace> head_beside(const Page& page, const HeadPlace& from, int right, int down);

/// The selected stage if it exists once per head. Otherwise, the attention weights.
StageKind tiles_kind(const PageInputs& in);

/// Returns a thumbnail of that stage for each head, at most `side` wide and high. It is null as long as
/// small_pictures() is.
const std::vector<Figure>* thumbnails(const PageInputs& in, PageTools& tools,
                                      const std::vector<HeadPlace>& places, float side);

}  // namespace headscope
