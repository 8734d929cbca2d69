#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/figure/figure.h"
#include "core/figure/heatmap.h"
#include "core/measures/measure.h"
#include "core/model/interventions.h"
#include "core/result.h"
#include "core/trace/stage.h"

namespace headscope {

// What the regions of a page mean.

/// The cells of a stage of the pass. `slot` distinguishes the maps on the page.
struct StageCells {
  StageId stage;
  std::string slot;
  CellGrid grid;
};
/// The cells of a matrix that is not a stage, such as a table of positions, targets or a gradient.
struct TableCells {
  std::string table;
  CellGrid grid;
};
/// The row labels of a map of the pass; each row is a query of the selected attention.
struct RowLabels {
  CellGrid grid;
};
/// A quantity of a worked example. `grid` holds the cells of its numbers and is empty outside them.
struct QuantityArea {
  std::size_t quantity = 0;
  CellGrid grid;
};
/// A card that opens a lesson when clicked.
struct LessonCard {
  std::string name;  ///< The name of a bundled lesson, or the file of a user's.
  int n_steps = 0;
};
/// The placeholder for a head that is small enough to type numbers into.
struct SketchArea {};
/// A measure of the selected head, with its value.
struct MeasureArea {
  HeadMeasure measure = HeadMeasure::entropy;
};
/// The heading of a long page, which stays visible while the rest scrolls.
struct HeadingArea {};
struct HeadArea {
  int head = 0;
};
/// The sentence as a strip of tokens, with its range of visible rows.
struct SentenceArea {
  float caption_width = 0.0F;  ///< Width of the line of text above the tokens.
  int first_row = 0, n_visible_rows = 0, n_rows = 0;
};
/// The bar of a part of the model, in any layer.
struct PartBar {
  ModelPart part;
};
/// The thumbnail of one head on a page that shows the heads of all layers.
struct HeadTile {
  HeadIndex place;
};
/// A token of the strip. `place` counts from the first token of the strip.
struct TokenArea {
  int place = 0;
};
/// A token at the end of attention lines: a query, or a key of the selected attention.
struct LineToken {
  bool is_key = false;
  int token = 0;
  bool operator==(const LineToken&) const = default;
};
/// A box of the model's diagram. If `is_folded`, it is a folded layer, and `stage` is one of its stages.
struct DiagramArea {
  std::size_t box = 0;
  StageId stage;
  bool is_folded = false;
};
/// A word in a ranked list. Empty for an entry that stands for several words.
struct WordArea {
  std::optional<int> word;
};
/// The link that expands or collapses the numbers of a derivation.
struct AllNumbersArea {};
/// A chart over the training steps, from step 0 at its left edge to step `last` at its right edge.
struct StepsArea {
  double last = 1.0;

  /// The step at a point, clamped to the ends of `plot`, the box of the region.
  double step_at(const Box& plot, Point point) const {
    return last * static_cast<double>(std::clamp((point.x - plot.x) / plot.w, 0.0F, 1.0F));
  }
};
/// A word of a heading with a tooltip.
struct ExplainedWord {
  std::string why;
};
using Meaning = std::variant<StageCells, TableCells, HeadingArea, HeadArea, SentenceArea, TokenArea,
                             DiagramArea, WordArea, AllNumbersArea, StepsArea, PartBar, HeadTile, LineToken,
                             QuantityArea, LessonCard, SketchArea, MeasureArea, RowLabels, ExplainedWord>;

/// An area of a page that responds to the mouse.
struct HitRegion {
  Box box;
  Meaning meaning;
};

/// The picture of a page and the meaning of its regions, the same in the window, in files and on the command
/// line.
struct Page {
  Figure figure;
  std::vector<HitRegion> regions;  ///< In drawing order: later regions lie over earlier ones.

  /// The topmost region at a point. Null if there is none.
  const HitRegion* region_at(Point point) const;
};

/// Appends `part` and its regions, shifted by (x, y). The page grows to hold them.
void append(Page& page, const Page& part, float x, float y);

void add_box(Figure& figure, const Box& box, Color color, float rounding = 0.0F);
void add_frame(Figure& figure, const Box& box, Color color, float thickness = 1.0F, float rounding = 0.0F);
void add_line(Figure& figure, Point from, Point to, Color color, float thickness = 1.0F);
/// Adds a text whose anchor is its left end at half of its height, unless said otherwise.
void add_text(Figure& figure, std::string text, Point at, Color color, float size, Font font = Font::sans,
              HorizontalAnchor horizontal = HorizontalAnchor::left,
              VerticalAnchor vertical = VerticalAnchor::middle);

/// The cells of the map in a slot. Null if the page does not show them.
const CellGrid* cells_in(const Page& page, std::string_view slot);

/// Moves a page so that `part`, the only area with content, is centred in a space of this size. Along an axis
/// where it does not fit, it starts at the left or upper edge.
Page centered(const Page& page, const Box& part, float width, float height);

/// A number, a text, or nothing where there is no number.
using TableCell = std::variant<std::monostate, std::int64_t, double, std::string>;

/// Numbers that a page shows, at full precision, with named columns. Every row has a cell for each column.
struct DataTable {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::vector<TableCell>> rows;
};

/// The tables of a page, or why the session has none.
using PageNumbers = Result<std::vector<DataTable>>;

}  // namespace headscope
