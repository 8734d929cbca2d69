#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/figure/heatmap.h"
#include "core/trace/trace.h"

namespace headscope {

struct PageTools;
struct Page;

/// A picture of a matrix that is not a stage of a pass.
struct TableSpec {
  std::string name;                    ///< Identifies the numbers: equal name and pass mean equal numbers.
  std::shared_ptr<const Trace> trace;  ///< The pass to which the numbers belong. Null if they belong to none.
  PictureOptions picture;
  CellWindow window;
  float max_cell = 44.0F;
  float above = 0.0F;  ///< Room above the map for the caller's drawing.
  std::optional<int> marked_row, marked_col;
};

/// The cached picture. Must not be moved, because `spec` refers to `numbers`. Keeps no pass alive.
struct TablePanel {
  std::string name;
  std::weak_ptr<const Trace> trace;
  PictureOptions picture;
  CellWindow window;
  float max_cell = 0.0F, width = 0.0F, height = 0.0F, above = 0.0F;
  std::optional<int> marked_row, marked_col;
  std::size_t fonts = 0;
  OwnedMatrix numbers;
  HeatmapSpec spec;
  HeatmapLayout layout;
  Figure figure;
};

/// Colours a map of shares from 0 to 1 and writes its numbers as shares, without a colour bar.
void show_shares(HeatmapSpec& spec, const PictureOptions& picture, const MatrixView& numbers);

/// Returns a page with the map, as high as the map, and its cells as a region. `make` fills in the numbers
/// and describes how to draw them; it is called only if the numbers differ from those last drawn in this
/// slot.
Page table_page(PageTools& tools, const std::string& slot, const TableSpec& table,
                const std::function<HeatmapSpec(OwnedMatrix& numbers)>& make, float width, float height);

}  // namespace headscope
