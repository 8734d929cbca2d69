#pragma once

#include <memory>
#include <optional>

#include "core/figure/heatmap.h"
#include "core/figure/token_strip.h"
#include "core/session/session.h"
#include "core/trace/trace.h"

namespace headscope {

/// How a map is drawn in its slot.
struct MapLook {
  bool title = false;
  bool labels = true;
  bool color_bar = true;
  bool numbers = true;
  bool zoomable = false;
  bool pins = true;  ///< a click pins the cell and selects its place
  float max_cell = 44.0F;
  float font_size = 13.0F;
  bool operator==(const MapLook&) const = default;
};

/// All that a drawn map depends on. The traces are held, so that equal addresses mean equal traces.
struct MapKey {
  std::shared_ptr<const Trace> trace;
  std::shared_ptr<const Trace> before;  ///< where the map shows the difference to it
  StageId stage;
  PictureOptions picture;
  MapLook look;
  float width = 0.0F, height = 0.0F;
  CellWindow window;
  double held_range = 0.0;  ///< of differences
  std::optional<int> marked_row, marked_col;
  std::size_t fonts = 0;  ///< changes when the fonts were baked anew, which moves text
  bool operator==(const MapKey&) const = default;
};

/// A map as it was last drawn, so that a frame in which nothing changed costs nothing but its painting.
struct MapCache {
  MapKey key;
  HeatmapSpec spec;
  OwnedMatrix difference;  ///< what `spec.values` shows where there is a difference to show
  HeatmapLayout layout;
  Figure figure;
  std::string problem;  ///< why there is no map; empty where there is one
  CellWindow window;    ///< zoom and pan
};

/// The token strip as it was last laid out. Its spec's tokens and ids stay; selection and weights are of the
/// frame.
struct StripCache {
  std::shared_ptr<const Trace> trace;
  StageId place;  ///< of the attention whose tokens they are
  float width = 0.0F, height = 0.0F;
  std::size_t fonts = 0;
  TokenStripSpec spec;
  TokenStripLayout layout;
};

}  // namespace headscope
