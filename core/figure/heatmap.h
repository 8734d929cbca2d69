#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/figure/color_scale.h"
#include "core/figure/theme.h"
#include "core/text/number_text.h"
#include "core/trace/cover.h"
#include "core/trace/number_source.h"

namespace headscope {

/// The labels of an axis, stored or made on demand: of thousands, only a few are drawn.
class AxisTexts {
 public:
  AxisTexts() = default;
  AxisTexts(std::vector<std::string> texts) : size_(static_cast<int>(texts.size())) {
    const auto kept = std::make_shared<const std::vector<std::string>>(std::move(texts));
    make_ = [kept](int index) { return (*kept)[static_cast<std::size_t>(index)]; };
  }
  AxisTexts(int size, std::function<std::string(int)> make) : size_(size), make_(std::move(make)) {}

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// The label of a row or column. The index ranges from 0 to size() − 1.
  std::string operator[](int index) const { return make_(index); }
  void clear() { *this = {}; }

 private:
  int size_ = 0;
  std::function<std::string(int)> make_;
};

struct CellIndex {
  int row = 0;
  int col = 0;
  bool operator==(const CellIndex&) const = default;
};

/// The least readable size of numbers in cells on a screen.
inline constexpr float usual_min_number = 8.0F;
/// Whether numbers must be printed so large that the labels of a map leave the width to its cells.
constexpr bool is_small_print(float min_number) {
  return min_number > usual_min_number;
}
/// The margins around a figure in a file. In small print, its paper has margins of its own.
inline constexpr float usual_margin = 24.0F, small_margin = 6.0F;

/// Smaller shares are usually left out, so that one sees the others.
inline constexpr float small_share = 0.005F;

/// One matrix as coloured cells with labelled axes and a colour bar.
struct HeatmapSpec {
  NumberSourcePtr source;  ///< The source of the numbers. Null if there are no cells.
  AxisTexts row_labels;    ///< One label per row. If empty, none are drawn.
  AxisTexts col_labels;    ///< One label per column. If empty, none are drawn.
  std::string row_axis;    ///< "queries"
  std::string col_axis;    ///< "keys"
  std::string title;       ///< "Layer 0, head 3 · Attention weights"
  std::string shape;       ///< "[11 × 11]", drawn after the title.
  std::string formula;     ///< "softmax(M) over keys", drawn below the title.
  ColorScale scale;
  bool random = false;       ///< The numbers come from untrained weights, as the note of a file says.
  std::string changed = {};  ///< The changes_text() of the pass: interventions and stages entered by hand.
  std::string guess = {};    ///< The guess_text() of the pass: what the model can only guess.
  bool differs = false;      ///< The numbers are differences. NaN means that there is no counterpart.
  bool numbers = true;       ///< Writes numbers into the cells if they fit.
  bool color_bar = true;
  /// Labels the scale. False if the page describes it once for all maps.
  bool color_bar_label = true;
  std::optional<int> marked_row;  ///< The row whose label has the accent colour.
  std::optional<int> marked_col;
  bool frames_row = false;  ///< Draws a frame around the marked row.
  std::optional<CellIndex> pinned;
  std::optional<CellIndex> hovered;
  Cover cover;             ///< The cells to leave empty for an exercise, of the stage of this heatmap.
  StageWindow window;      ///< The visible part after zoom and pan. A count of 0 stands for all that follow.
  float max_cell = 44.0F;  ///< The maximum size of a cell.
  /// The maximum height of a cell, which then need not be square. 0 for `max_cell`.
  float max_cell_height = 0.0F;
  float leaves_out_below = 0.0F;  ///< Leaves cells without a number below this: `small_share` for shares.
  /// A fixed number of decimals for non-integers, on worksheets. 0 for the usual digits.
  int decimals = 0;
  /// The minimum height of a map with very many columns relative to its width, and vice versa, if there is
  /// space.
  float thin_share = 0.3F;
  float font_size = 13.0F;  ///< The size of the title, and of the labels if the cells are large enough.
  float min_number = usual_min_number;  ///< Numbers in cells that would be smaller are left out.

  Extent extent() const { return source ? source->extent() : Extent{}; }
  void drop_header() { title = shape = formula = ""; }
  void drop_axes() { row_axis = col_axis = ""; }
};

/// How column labels are written: horizontally, rising at 45° or upwards.
enum class LabelTurn { flat, slanted, upright };

/// The drawn label of a row or a column, elided if it is long.
struct AxisLabel {
  int index = 0;
  std::string text;
};

/// The visible cells of a map. Row and column numbers refer to the whole matrix.
struct CellGrid {
  Box cells;
  float cell_width = 0.0F, cell_height = 0.0F;
  float gap = 0.0F;  ///< The gap after each cell, included in its width and height.
  int first_row = 0, n_rows = 0, first_col = 0, n_cols = 0;

  std::optional<CellIndex> cell_at(Point point) const;
  /// The row at this height, even beside the cells.
  std::optional<int> row_at(float y) const;
  /// The box of a cell without its gap. A cell outside the window has a box outside `cells`.
  Box box_of(int row, int col) const;
  /// The box of a cell, of a row or column, or of all cells, without the gap. Empty if the row or the column
  /// is not visible.
  std::optional<Box> box_of_part(std::optional<int> row, std::optional<int> col) const;
  bool operator==(const CellGrid&) const = default;
};

/// The positions of all parts of a heatmap.
struct HeatmapLayout : CellGrid {
  Box area;
  Box content;                ///< Everything that is drawn. Lies inside `area`.
  float beside_cells = 0.0F;  ///< The width of labels and colour bar.
  bool raster = false;        ///< The cells are drawn as one image.
  /// There are more cells than pixels, and each pixel shows the maximum magnitude of its cells.
  bool pooled = false;
  float label_size = 0.0F;
  std::vector<AxisLabel> row_labels;  ///< The labels that are drawn.
  std::vector<AxisLabel> col_labels;
  float row_label_width = 0.0F;
  float col_label_height = 0.0F;
  LabelTurn turn = LabelTurn::flat;  ///< Of the column labels.
  Box color_bar;                     ///< Empty if there is no colour bar.

  const CellGrid& grid() const { return *this; }
};

/// Fits the heatmap into `area`. Cells are square if both sides fit; otherwise, they are as high as the area
/// allows, and one side is at most twice the other. Labels are rotated, elided, thinned out or omitted so
/// that they never overlap. Takes time linear in the number of labels, so cache the layout until the spec,
/// the area or the font changes.
HeatmapLayout layout_heatmap(const HeatmapSpec& spec, Box area, const MeasureText& measure);

/// The visible cells, read and coloured: everything that a drawing needs from the source.
struct HeatmapCells {
  OwnedMatrix numbers;  ///< The numbers if the cells are drawn separately. Otherwise, empty.
  /// The upper ends of these rows' ranges if each row has its own. Otherwise, empty.
  std::vector<double> row_highs;
  /// The cells as one image, with a pixel per cell or, if they are pooled, per block of cells, coloured by
  /// its strongest cell. Pixels of hidden values are transparent. Null if the cells are drawn separately.
  std::shared_ptr<const Image> image;
  bool has_infinite = false;  ///< Some cell is infinite.
  bool has_nan = false;
};

/// Reads the cells in small blocks of rows and colours them by the scale of the spec. Null if stopped.
/// Thread-safe.
std::shared_ptr<const HeatmapCells> read_cells(const HeatmapSpec& spec, const HeatmapLayout& layout,
                                               const std::atomic<bool>* stop = nullptr);

/// The size and the decimals of the numbers in the cells.
struct NumberFit {
  float size = 0.0F;  ///< 0 if no numbers fit.
  CellDigits digits = CellDigits::three;
  float width = 0.0F;  ///< The width of a cell for its number. Wider numbers are omitted.
};
/// Chooses three decimals if all numbers are readable with them, or else two. If nine in ten numbers do not
/// fit with two decimals either, or one that is nearly 1 does not, the size is 0.
NumberFit fit_numbers(const HeatmapSpec& spec, const HeatmapLayout& layout, const HeatmapCells& cells,
                      const MeasureText& measure);

/// Draws the heatmap in the coordinates of `layout.area`, with cells that were read before. If `cells` is
/// null, draws only what is around the cells.
Figure draw_heatmap(const HeatmapSpec& spec, const HeatmapLayout& layout, const HeatmapCells* cells,
                    const Theme& theme, const MeasureText& measure);
/// The same, but reads the cells first.
Figure draw_heatmap(const HeatmapSpec& spec, const HeatmapLayout& layout, const Theme& theme,
                    const MeasureText& measure);

/// Draws only the outlines of the pinned and the hovered cell. draw_heatmap() includes them.
void draw_heatmap_marks(const HeatmapSpec& spec, const HeatmapLayout& layout, const Theme& theme,
                        Figure& figure);

}  // namespace headscope
