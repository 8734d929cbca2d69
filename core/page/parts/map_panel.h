#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "core/figure/heatmap.h"
#include "core/session/session.h"
#include "core/trace/trace.h"

namespace headscope {

/// How a map is drawn in its slot.
struct MapLook {
  bool title = false;
  bool labels = true;
  bool color_bar = true;
  bool color_bar_label = true;
  bool numbers = true;
  bool zoomable = false;
  bool frames_row = false;  ///< a line around the selected row
  bool centered = false;    ///< in the middle of its room rather than at its upper left
  bool pins = true;         ///< a click pins the cell and selects its place
  bool own_range = false;   ///< a difference's colours span its own numbers, not those seen before
  bool present = false;     ///< the present pass alone, also where differences are shown
  int held = -1;            ///< the number of the held subject whose map it is; −1: the session's own
  float max_cell = 44.0F;
  float max_cell_height = 0.0F;  ///< as HeatmapSpec's
  float thin_share = 0.3F;       ///< as HeatmapSpec's
  float font_size = 13.0F;
  bool operator==(const MapLook&) const = default;
};

/// All that a drawn map depends on. The traces are held, so that equal addresses mean equal traces.
struct MapKey {
  std::shared_ptr<const Trace> trace;
  StageId stage;
  std::shared_ptr<const Trace> against;  ///< where the map shows the difference from it
  StageId against_stage;
  PictureOptions picture;
  MapLook look;
  float width = 0.0F, height = 0.0F;
  CellWindow window;
  double held_range = 0.0;  ///< of differences
  std::optional<int> marked_row, marked_col;
  Cover cover;            ///< of this stage
  std::size_t fonts = 0;  ///< changes when the fonts were baked anew, which moves text
  bool operator==(const MapKey&) const = default;
};

/// Cells, and all that they depend on beside the key's pass.
struct DrawnCells {
  std::shared_ptr<const HeatmapCells> cells;  ///< null: none yet
  PictureOptions picture;
  CellWindow window;
  double high = 0.0;  ///< of the scale
  bool raster = false;
  int width = 0, height = 0;  ///< of an image
};

/// What takes long of a map's drawing: statistics, which their source keeps, or cells.
struct MapJob {
  std::atomic<bool> stop{false};  ///< it is not wanted any more
  std::atomic<bool> done{false};  ///< the rest may be read
  DrawnCells cells;
  std::string problem;  ///< why it failed; empty where it did not
};

/// A map in its slot, its corner at (0, 0), so that a page in which nothing changed costs nothing. While a
/// large map is being read, the picture before stays, if it is of the same stage; else the map stands empty.
struct MapPanel {
  MapKey key;                   ///< what is asked for
  Extent extent;                ///< of its stage
  NumberSourcePtr source;       ///< of its numbers; null where there is a problem
  bool knows_range = false;     ///< the statistics that its scale depends on were computed
  HeatmapSpec spec;             ///< of the picture that is being made
  DrawnCells cells;             ///< the last that were read of these numbers
  std::shared_ptr<MapJob> job;  ///< stops when it is let go of; null: nothing is left to be done
  std::string problem;          ///< why there is no map; empty where there is one
  CellWindow window;            ///< zoom and pan
  HeatmapLayout layout;         ///< of the figure
  Figure figure;
  Extent shown;          ///< of the numbers that the figure shows
  bool is_empty = true;  ///< the figure has no cells yet

  /// The figure shows the map that was asked for.
  bool is_ready() const { return job == nullptr; }
};

struct PageInputs;
struct PageTools;
struct Page;

/// The map of a stage in a slot of `tools.memo.maps`, drawn again where anything changed that it depends on.
/// What takes long of it is left to `tools.carry_out`: until that is done, is_ready() is false, and a later
/// call goes on with it.
MapPanel& map_panel(const PageInputs& in, PageTools& tools, const std::string& slot, const StageId& stage,
                    float width, float height, const MapLook& look);

/// The same as a page: the map, or why there is none, with its cells as a region.
Page map_page(const PageInputs& in, PageTools& tools, const std::string& slot, const StageId& stage,
              float width, float height, const MapLook& look);

}  // namespace headscope
