#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/figure/figure.h"
#include "core/figure/heatmap.h"
#include "core/measures/head_place.h"
#include "core/model/interventions.h"
#include "core/trace/stage.h"

namespace headscope {

/// The visible cells of a map, in the page's units. Rows and columns are those of the whole matrix.
struct CellGrid {
  Box cells;
  float cell_width = 0.0F, cell_height = 0.0F;
  int first_row = 0, n_rows = 0, first_col = 0, n_cols = 0;

  std::optional<CellIndex> cell_at(Point point) const;
  /// A cell with the gap around it.
  Box box_of(int row, int col) const;
  bool operator==(const CellGrid&) const = default;
};
CellGrid grid_of(const HeatmapLayout& layout);

/// What a part of a page means. The cells of a stage of the pass; `slot` names the map among those of the
/// page.
struct StageCells {
  StageId stage;
  std::string slot;
  CellGrid grid;
  bool operator==(const StageCells&) const = default;
};
/// The cells of a matrix that is no stage: positions of any number, targets, a gradient.
struct TableCells {
  std::string table;
  CellGrid grid;
  bool operator==(const TableCells&) const = default;
};
/// A quantity of a worked example; over its numbers, with their cells.
struct QuantityArea {
  std::size_t quantity = 0;
  CellGrid grid;
  bool operator==(const QuantityArea&) const = default;
};
/// What says what a long page is about: in a window it stays in sight when the rest is scrolled.
struct HeadingArea {
  bool operator==(const HeadingArea&) const = default;
};
struct HeadArea {
  int head = 0;
  bool operator==(const HeadArea&) const = default;
};
/// The sentence as a strip of tokens, and which of its rows are in sight.
struct SentenceArea {
  float said_width = 0.0F;  ///< of the line above the tokens
  int first_row = 0, n_visible_rows = 0, n_rows = 0;
  bool operator==(const SentenceArea&) const = default;
};
/// A head anywhere in the model.
struct HeadBar {
  HeadId head;
  bool operator==(const HeadBar&) const = default;
};
/// A head's small picture among those of all layers.
struct HeadTile {
  HeadPlace place;
  bool operator==(const HeadTile&) const = default;
};
/// A token of the strip, counted from the strip's first one.
struct TokenArea {
  int place = 0;
  bool operator==(const TokenArea&) const = default;
};
/// A token at an end of lines: a query, or a key of the selected attention.
struct LineToken {
  bool is_key = false;
  int token = 0;
  bool operator==(const LineToken&) const = default;
};
/// A box of the model's diagram; of a folded layer, one of its stages.
struct DiagramArea {
  std::size_t box = 0;
  StageId stage;
  bool folds = false;
  bool operator==(const DiagramArea&) const = default;
};
/// A word in a ranked list; nothing: several words together.
struct WordArea {
  std::optional<int> word;
  bool operator==(const WordArea&) const = default;
};
/// The words that list all numbers of a derivation, or list them no more.
struct AllNumbersArea {
  bool operator==(const AllNumbersArea&) const = default;
};
/// A chart over the steps of training: from step 0 at its left edge to `last` at its right one.
struct StepsArea {
  double last = 1.0;
  bool operator==(const StepsArea&) const = default;

  /// `plot`: the region's box. Beside it, the nearer end.
  double step_at(const Box& plot, Point point) const {
    return last * static_cast<double>(std::clamp((point.x - plot.x) / plot.w, 0.0F, 1.0F));
  }
};
using Meaning =
    std::variant<StageCells, TableCells, HeadingArea, HeadArea, SentenceArea, TokenArea, DiagramArea,
                 WordArea, AllNumbersArea, StepsArea, HeadBar, HeadTile, LineToken, QuantityArea>;

/// A part of a page that answers the mouse.
struct HitRegion {
  Box box;
  Meaning means;
};

/// A picture of a view, and what its parts mean. The window, the files and the command line show the same.
struct Page {
  Figure figure;
  std::vector<HitRegion> regions;  ///< what lies over another comes after it

  /// The uppermost region under a point; null where there is none.
  const HitRegion* region_at(Point point) const;
};

/// Appends `part` with its regions, moved by (x, y). The page grows to hold it.
void append(Page& page, const Page& part, float x, float y);

/// A page of which only `part` is drawn on, that part in the middle of a room, or at its upper left where it
/// has none.
Page centered(const Page& page, const Box& part, float width, float height);

}  // namespace headscope
