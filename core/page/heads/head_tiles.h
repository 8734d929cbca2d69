#pragma once

#include <optional>
#include <vector>

#include "core/page/heads/head_values.h"
#include "core/page/page.h"

namespace headscope {

/// Where a tile's text stands: on one line above the picture, in three lines beside it, or above and below
/// it.
enum class TileText { above, beside, around };

/// Where the small pictures of heads stand in a room.
struct TileGrid {
  int columns = 1;
  float tile_width = 0.0F;   ///< without the gap
  float side = 0.0F;         ///< of a picture
  float text_height = 0.0F;  ///< above and below it
  float gap = 0.0F;
  TileText text = TileText::around;
  float width(int n) const;
  float tile_height() const;
};

/// As large as the room allows, in a row for each layer where the model has several. `n`: heads that are
/// shown; `n_cells`: rows or columns of their maps, whose cells are whole units where they are large enough.
TileGrid tile_grid(const Architecture& architecture, int n, int n_cells, PageSize room);

/// A small picture of each head with its place, what it does and the number of what the heads are sorted by,
/// each a HeadTile.
Page head_tiles_page(const PageInputs& in, PageTools& tools, const HeadValues& values,
                     const std::vector<HeadPlace>& places, const TileGrid& grid);

/// The head so many tiles to the right and so many rows down on a page; its last one in that direction where
/// there are not so many, the first where `from` is not on it. Nothing where the page has no tiles.
std::optional<HeadPlace> head_beside(const Page& page, const HeadPlace& from, int right, int down);

}  // namespace headscope
