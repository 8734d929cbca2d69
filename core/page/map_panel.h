#pragma once

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
  bool pins = true;      ///< a click pins the cell and selects its place
  bool present = false;  ///< the present pass alone, also where differences are shown
  int held = -1;         ///< the number of the held subject whose map it is; −1: the session's own
  float max_cell = 44.0F;
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
  std::size_t fonts = 0;  ///< changes when the fonts were baked anew, which moves text
  bool operator==(const MapKey&) const = default;
};

/// A map as it was last drawn, its corner at (0, 0), so that a page in which nothing changed costs nothing.
struct MapPanel {
  MapKey key;
  HeatmapSpec spec;
  OwnedMatrix difference;  ///< what `spec.values` shows where there is a difference to show
  HeatmapLayout layout;
  Figure figure;
  std::string problem;  ///< why there is no map; empty where there is one
  CellWindow window;    ///< zoom and pan
};

struct PageInputs;
struct PageTools;
struct Page;

/// The map of a stage in a slot of `tools.memo.maps`, drawn again where anything changed that it depends on.
MapPanel& map_panel(const PageInputs& in, PageTools& tools, const std::string& slot, const StageId& stage,
                    float width, float height, const MapLook& look);

/// The same as a page: the map, or why there is none, with its cells as a region.
Page map_page(const PageInputs& in, PageTools& tools, const std::string& slot, const StageId& stage,
              float width, float height, const MapLook& look);

}  // namespace headscope
