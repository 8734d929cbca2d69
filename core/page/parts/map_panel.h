#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/figure/heatmap.h"
#include "core/lesson/lesson.h"
#include "core/session/session.h"
#include "core/trace/explain.h"
#include "core/trace/trace.h"

namespace headscope {

/// How a map is drawn in its slot.
struct MapLook {
  bool title = false;
  bool labels = true;
  bool row_labels = true;  ///< False if the map beside it has the same.
  bool axes = true;        ///< Whether the labels say what the rows and the columns are.
  bool color_bar = true;
  bool color_bar_label = true;
  bool numbers = true;
  bool zoomable = false;
  bool frames_row = false;    ///< Draws a frame around the selected row.
  bool centered = false;      ///< Centres the map in its space instead of placing it at the upper left.
  bool is_cut = false;        ///< The page is as high as the map if that is lower than its space.
  bool has_tooltip = true;    ///< A tooltip describes the cell under the mouse.
  bool pins = true;           ///< A click pins the cell and selects its place.
  bool selects_rows = false;  ///< A click on a row label selects the token, even for a compared subject.
  bool uses_own_range =
      false;             ///< The colours of a difference span its own numbers instead of those seen so far.
  bool present = false;  ///< Shows the present pass alone even if the page shows differences.
  int only_row = -1;     ///< The only row that is shown. −1 for the rows of the window.
  int compared = -1;     ///< The index of the compared subject whose map is shown. −1 for the session's.
  float max_cell = 44.0F;
  float max_cell_height = 0.0F;  ///< See HeatmapSpec.
  float thin_share = 0.3F;       ///< See HeatmapSpec.
  float font_size = 13.0F;
  bool operator==(const MapLook&) const = default;
};

/// Everything that a drawn map depends on. The key owns its traces, so equal addresses mean equal traces.
struct MapKey {
  std::shared_ptr<const Trace> trace;
  StageId stage;
  std::shared_ptr<const Trace> against;  ///< If not null, the map shows the difference from this pass.
  StageId against_stage;
  PictureOptions picture;
  MapLook look;
  float width = 0.0F, height = 0.0F;
  StageWindow window;
  double difference_range = 0.0;  ///< The colour range of differences.
  std::optional<int> marked_row, marked_col;
  Cover cover;              ///< The cover of this stage.
  float min_number = 0.0F;  ///< See HeatmapSpec.
  std::size_t fonts = 0;    ///< Changes when the fonts are baked again, which moves text.
  bool operator==(const MapKey&) const = default;
};

/// Drawn cells, and everything that they depend on besides the key's pass.
struct DrawnCells {
  std::shared_ptr<const HeatmapCells> cells;  ///< Null if none have been drawn yet.
  PictureOptions picture;
  StageWindow window;
  double high = 0.0;  ///< The upper end of the colour scale.
  bool raster = false;
  int width = 0, height = 0;  ///< The size of an image.
};

/// The slow part of drawing a map: computes either statistics, which their source caches, or cells.
struct MapJob {
  std::atomic<bool> stop{false};  ///< Set when the result is no longer needed.
  std::atomic<bool> done{false};  ///< Once set, the members below may be read.
  DrawnCells cells;
  std::string problem;  ///< Why the job failed. Empty if it did not.
};

/// A cached map in its slot, with its corner at (0, 0). While a large map is being read, keeps the previous
/// picture if it shows the same stage; otherwise, the map is drawn empty.
struct MapPanel {
  MapKey key;                   ///< The requested map.
  Extent extent;                ///< The size of its stage.
  NumberSourcePtr source;       ///< The source of its numbers. Null if there is a problem.
  bool knows_range = false;     ///< The statistics for the colour scale have been computed.
  HeatmapSpec spec;             ///< The picture that is being made.
  DrawnCells cells;             ///< The cells last read from these numbers.
  std::shared_ptr<MapJob> job;  ///< Stops when released. Null if nothing is left to do.
  std::string problem;          ///< Why there is no map. Empty if there is one.
  StageWindow window;           ///< Zoom and pan.
  HeatmapLayout layout;         ///< The layout of `figure`.
  Figure figure;
  Extent shown;          ///< The size of the numbers that the figure shows.
  bool is_empty = true;  ///< The figure has no cells yet.

  /// Whether the figure shows the requested map.
  bool is_ready() const { return job == nullptr; }
};

struct Page;
struct PageInputs;
struct PageMemo;
struct PageTools;
struct StageCells;

/// Returns the key with the row's greatest weight. Empty if the row is not available, if that would reveal an
/// exercise's answer, or if several weights are the greatest.
std::optional<int> strongest_column(const PageInputs& in, PageTools& tools, const StageId& stage, int row);

/// Returns the map of a stage in a slot of `tools.memo.maps`, redrawn if anything that it depends on has
/// changed. Passes long work to `tools.run_job`; until that is done, is_ready() is false. Call again for
/// the result.
MapPanel& map_panel(const PageInputs& in, PageTools& tools, const std::string& slot, const StageId& stage,
                    float width, float height, const MapLook& look);

/// Returns the same map as a page with its cells as a region. If there is no map, the page says why.
Page map_page(const PageInputs& in, PageTools& tools, const std::string& slot, const StageId& stage,
              float width, float height, const MapLook& look);

/// A picture of a matrix that is not a stage of a pass.
struct TableSpec {
  std::string name;  ///< Identifies the numbers: equal name and pass mean equal numbers.
  /// The pass to which the numbers belong. Null if they belong to none.
  std::shared_ptr<const Trace> trace = {};
  PictureOptions picture = {};
  StageWindow window = {};
  float max_cell = 44.0F;
  float min_number = usual_min_number;
  float above = 0.0F;  ///< Room above the map for the caller's drawing.
  std::optional<int> marked_row = {}, marked_col = {};
  bool operator==(const TableSpec&) const = default;
};

/// A table of numbers of the session's pass.
TableSpec table_of_pass(const PageInputs& in, std::string name, float max_cell = 44.0F);

/// The cached picture. Must not be moved, because `spec` refers to `numbers`. Keeps no pass alive.
struct TablePanel {
  TableSpec drawn;  ///< What the figure shows, without its pass.
  std::weak_ptr<const Trace> trace;
  float width = 0.0F, height = 0.0F;
  std::size_t fonts = 0;
  OwnedMatrix numbers;
  HeatmapSpec spec;
  HeatmapLayout layout;
  Figure figure;
};

/// Describes a map of numbers: its colours, and the labels and the names of its rows and columns.
HeatmapSpec table_spec(const OwnedMatrix& numbers, ColorScale scale, AxisTexts rows, std::string row_axis,
                       AxisTexts columns, std::string col_axis);

/// Describes a map of numbers in small letters, whose colours span the numbers of `range`.
HeatmapSpec small_table(const PictureOptions& picture, const OwnedMatrix& numbers, AxisTexts rows,
                        AxisTexts columns, bool is_signed, const OwnedMatrix& range);

/// Colours a map of shares from 0 to 1 and writes its numbers as shares, without a colour bar.
void show_shares(HeatmapSpec& spec, const PictureOptions& picture, const MatrixView& numbers);

/// Returns a page with the map, as high as the map, and its cells as a region. `make` fills in the numbers
/// and describes how to draw them; it is called only if the numbers differ from those last drawn in this
/// slot.
Page table_page(PageTools& tools, const std::string& slot, const TableSpec& table,
                const std::function<HeatmapSpec(OwnedMatrix& numbers)>& make, float width, float height);

/// The cell of a map that corresponds to a cell of the session's stage. Empty if there is none.
std::optional<CellIndex> cell_of_map(const PageMemo& memo, const MapPanel& panel, const Pin& pin);

/// The derivation of a cell of the session's pass, cached for this pass and cell. Null if the cell has none,
/// or while the numbers that it reads are not available.
const Explanation* derivation_of(const PageInputs& in, PageTools& tools, const Pin& cell);

/// Frames around the rows and columns of a map that a derivation reads. The map's corner is at (0, 0).
Figure source_marks(const Explanation& explanation, const MapPanel& panel, const Theme& theme);
/// Outlines of a pinned and a hovered cell. The map's corner is at (0, 0).
Figure cell_marks(const std::optional<CellIndex>& pinned, const std::optional<CellIndex>& hovered,
                  const MapPanel& panel, const Theme& theme);

/// The page position of the corner of a region's map.
Point corner_of(const StageCells& cells, const MapPanel& panel);

/// Outlines the pinned cell on every map of a page that shows it, and frames its sources.
void append_marks(Page& page, const PageInputs& in, PageTools& tools);

/// The boxes that a lesson's step points at, on a page made from this session and pass. If the page draws a
/// stage several times, only in its largest map. Empty for a control.
std::vector<Box> focused_boxes(const Page& page, const LessonFocus& focus, const Session& session,
                               const Trace& trace);

}  // namespace headscope
