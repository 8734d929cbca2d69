#pragma once

#include <vector>

#include "core/figure/heatmap.h"

namespace headscope {

/// Heatmaps in rows and columns with cells of one height.
struct PageGrid {
  std::vector<HeatmapLayout> layouts;  ///< one a panel, in the coordinates of the page
  float width = 0.0F, height = 0.0F;   ///< of all panels
};

/// Places the panels row by row into `area` with the largest cells with which all of them fit. Sets the
/// panels' max_cell.
PageGrid fit_grid(std::vector<HeatmapSpec>& panels, int n_cols, Box area, const MeasureText& measure);

/// A panel in a line of others.
struct GridPanel {
  HeatmapSpec spec;
  int line = 0, column = 0;
  int n_columns = 1;  ///< that it stretches over
};

/// Places the panels line by line into `area` with the largest cells with which all of them fit. All cells
/// are of one height, and all panels have as much room around their cells: maps of one shape are of one size.
/// Sets the panels' max_cell and their least room.
PageGrid fit_lines(std::vector<GridPanel>& panels, Box area, const MeasureText& measure);

/// Columns with which `n` square panels fill a page best.
int grid_columns(int n, float width, float height);

}  // namespace headscope
