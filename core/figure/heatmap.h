#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/figure/color_scale.h"
#include "core/figure/theme.h"

namespace headscope {

struct CellIndex {
  int row = 0;
  int col = 0;
  bool operator==(const CellIndex&) const = default;
};

/// The part of a matrix that is shown: zoom and pan. A count of 0 means all that follow.
struct CellWindow {
  int first_row = 0, n_rows = 0;
  int first_col = 0, n_cols = 0;
  bool operator==(const CellWindow&) const = default;
};

/// One matrix as coloured cells with labelled axes and a colour bar.
struct HeatmapSpec {
  MatrixView values;  ///< somebody keeps it alive while the figure is laid out and drawn
  std::shared_ptr<const OwnedMatrix> kept;  ///< what `values` views, where nobody else keeps it; may be null
  std::vector<std::string> row_labels;      ///< one a row; empty: none are drawn
  std::vector<std::string> col_labels;      ///< one a column; empty: none are drawn
  std::string row_axis;                     ///< "queries"
  std::string col_axis;                     ///< "keys"
  std::string title;                        ///< "Layer 0 · head 3 · Attention weights"
  std::string shape;                        ///< "[11 × 11]", after the title
  std::string formula;                      ///< "softmax(M) over keys", under the title
  ColorScale scale;
  bool random = false;  ///< follows from weights that were not trained, which a file's note says
  bool numbers = true;  ///< in the cells, where they fit
  bool color_bar = true;
  bool color_bar_label = true;    ///< the scale in words; false where a page says it once
  std::optional<int> marked_row;  ///< label in the accent colour
  std::optional<int> marked_col;
  std::optional<CellIndex> pinned;
  std::optional<CellIndex> hovered;
  CellWindow window;
  float least_left = 0.0F;   ///< at least so much stands free before the cells, and
  float least_right = 0.0F;  ///< after them: equal maps below each other are of one size
  float max_cell = 44.0F;    ///< cells grow no larger
  float font_size = 13.0F;   ///< of labels where cells are large enough; the title is as large
};

/// The label of a row or a column as it is drawn: shortened where it is long.
struct AxisLabel {
  int index = 0;
  std::string text;
};

/// Where everything of a heatmap is. Rows and columns are those of the whole matrix.
struct HeatmapLayout {
  Box area;
  Box content;  ///< all that is drawn; inside `area`
  Box cells;    ///< all visible cells
  float cell_width = 0.0F, cell_height = 0.0F;
  float beside_cells = 0.0F;  ///< width that labels and colour bar take
  float gap = 0.0F;           ///< between cells; part of the cell's width and height
  int first_row = 0, n_rows = 0, first_col = 0, n_cols = 0;
  bool raster = false;  ///< the cells are one image
  bool pooled = false;  ///< more cells than pixels: each pixel shows the greatest magnitude of its cells
  float label_size = 0.0F;
  std::vector<AxisLabel> row_labels;  ///< those that are drawn
  std::vector<AxisLabel> col_labels;
  float row_label_width = 0.0F;
  float col_label_height = 0.0F;
  bool turned = false;       ///< column labels rise at 45°
  float number_size = 0.0F;  ///< 0: no numbers in the cells
  int number_letters = 0;    ///< that fit into a cell; longer numbers are told briefly, or not at all
  Box color_bar;             ///< empty: none

  /// The cell under a point of the figure.
  std::optional<CellIndex> cell_at(Point point) const;
  /// A cell with the gap around it; cells outside the window have a box outside `cells`.
  Box box_of(int row, int col) const;
};

/// Fits the heatmap into `area`. Cells are square where both sides fit; otherwise as high as the area allows
/// and at most twice as wide or high as the other side. Labels turn, shorten, thin out or go before they
/// overlap. Lay out again only when the spec, the area or the font changes: its cost grows with the labels.
HeatmapLayout layout_heatmap(const HeatmapSpec& spec, Box area, const MeasureText& measure);

/// The cells as an image, one pixel a cell (or a block of cells where pooled), transparent where a value is
/// hidden. For large maps: keep it while values, scale and window stay.
std::shared_ptr<const Image> heatmap_image(const HeatmapSpec& spec, const HeatmapLayout& layout);

/// The whole heatmap in the coordinates of `layout.area`. `image`: from heatmap_image, to draw a large map
/// again without colouring its cells again; null: it is made here where needed.
Figure draw_heatmap(const HeatmapSpec& spec, const HeatmapLayout& layout, const Theme& theme,
                    const MeasureText& measure, std::shared_ptr<const Image> image = nullptr);

/// Only the outlines of the pinned and the hovered cell (part of draw_heatmap too).
void draw_heatmap_marks(const HeatmapSpec& spec, const HeatmapLayout& layout, const Theme& theme,
                        Figure& figure);

}  // namespace headscope
