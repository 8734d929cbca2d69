#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/figure/axis_texts.h"
#include "core/figure/color_scale.h"
#include "core/figure/theme.h"
#include "core/trace/cover.h"
#include "core/trace/number_source.h"

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

/// How numbers are written in cells.
enum class CellNotation {
  exact,    ///< true of the number in every form: "<.01", ">.999"
  rounded,  ///< as people read them: ".00", "1.0", "12"
  share     ///< as rounded, but shares that would read ".00" are left out, and only 1 reads "1"
};

/// One matrix as coloured cells with labelled axes and a colour bar.
struct HeatmapSpec {
  NumberSourcePtr source;  ///< of the cells; null: there are none
  AxisTexts row_labels;    ///< one a row; empty: none are drawn
  AxisTexts col_labels;    ///< one a column; empty: none are drawn
  std::string row_axis;    ///< "queries"
  std::string col_axis;    ///< "keys"
  std::string title;       ///< "Layer 0 · head 3 · Attention weights"
  std::string shape;       ///< "[11 × 11]", after the title
  std::string formula;     ///< "softmax(M) over keys", under the title
  ColorScale scale;
  bool random = false;       ///< follows from weights that were not trained, which a file's note says
  std::string changed = {};  ///< changes_text() of the pass: interventions, what is given
  std::string guess = {};    ///< guess_text() of the pass: what the model can only guess
  bool numbers = true;       ///< in the cells, where they fit
  bool color_bar = true;
  bool color_bar_label = true;    ///< the scale in words; false where a page says it once
  std::optional<int> marked_row;  ///< label in the accent colour
  std::optional<int> marked_col;
  bool frames_row = false;  ///< a line around the marked row
  std::optional<CellIndex> pinned;
  std::optional<CellIndex> hovered;
  Cover cover;  ///< cells that are left empty, to be filled in; one of another stage is not to be given
  CellWindow window;
  float least_left = 0.0F;       ///< at least so much stands free before the cells, and
  float least_right = 0.0F;      ///< after them: equal maps below each other are of one size
  float max_cell = 44.0F;        ///< cells grow no larger
  float max_cell_height = 0.0F;  ///< nor higher than this, and need not be square; 0: as max_cell
  CellNotation notation = CellNotation::exact;
  int decimals = 0;         ///< every number has so many, unless it is whole; 0: short forms
  float thin_share = 0.3F;  ///< a map of very many columns is at least this high for its width, and one of
                            ///< very many rows as wide for its height, where there is room
  float font_size = 13.0F;  ///< of labels where cells are large enough; the title is as large

  Extent extent() const { return source ? source->extent() : Extent{}; }
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
  bool turned = false;  ///< column labels rise at 45°
  Box color_bar;        ///< empty: none

  /// The cell under a point of the figure.
  std::optional<CellIndex> cell_at(Point point) const;
  /// A cell with the gap around it; cells outside the window have a box outside `cells`.
  Box box_of(int row, int col) const;
};

/// Fits the heatmap into `area`. Cells are square where both sides fit; otherwise as high as the area allows
/// and at most twice as wide or high as the other side. Labels turn, shorten, thin out or go before they
/// overlap. Lay out again only when the spec, the area or the font changes: its cost grows with the labels.
HeatmapLayout layout_heatmap(const HeatmapSpec& spec, Box area, const MeasureText& measure);

/// The visible cells, read and coloured: all that a drawing takes from the source.
struct HeatmapCells {
  OwnedMatrix numbers;            ///< where the cells stand apart; else empty
  std::vector<double> row_highs;  ///< of these rows, under a range per row; else empty
  /// Where the cells are one image: a pixel a cell (or a block of cells where pooled: its strongest),
  /// transparent where a value is hidden.
  std::shared_ptr<const Image> image;
  bool has_infinite = false;  ///< a cell is
  bool has_nan = false;
};

/// Reads the cells, of as many rows at once as need little memory, and colours them by the spec's scale.
/// Null where `stop` became true. Any thread may call it.
std::shared_ptr<const HeatmapCells> read_cells(const HeatmapSpec& spec, const HeatmapLayout& layout,
                                               const std::atomic<bool>* stop = nullptr);

/// Numbers in the cells.
struct NumberFit {
  float size = 0.0F;  ///< 0: there is no room for any
  int letters = 0;    ///< that fit into a cell; longer numbers are told briefly, or not at all
};
/// Size and greatest length of the numbers: of all in full, else of all told as briefly as need be, else of
/// nine in ten. None where these do not fit either.
NumberFit fit_numbers(const HeatmapSpec& spec, const HeatmapLayout& layout, const HeatmapCells& cells,
                      const MeasureText& measure);

/// Writes a number in the spec's notation with at most so many letters, or returns an empty text if that
/// cannot be.
std::string number_in_cell(const HeatmapSpec& spec, float value, int letters);

/// The whole heatmap in the coordinates of `layout.area`, with cells that were read before; null: only what
/// is around them.
Figure draw_heatmap(const HeatmapSpec& spec, const HeatmapLayout& layout, const HeatmapCells* cells,
                    const Theme& theme, const MeasureText& measure);
/// The same with cells that are read now.
Figure draw_heatmap(const HeatmapSpec& spec, const HeatmapLayout& layout, const Theme& theme,
                    const MeasureText& measure);

/// Only the outlines of the pinned and the hovered cell (part of draw_heatmap too).
void draw_heatmap_marks(const HeatmapSpec& spec, const HeatmapLayout& layout, const Theme& theme,
                        Figure& figure);

}  // namespace headscope
