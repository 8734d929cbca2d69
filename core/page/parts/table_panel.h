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
  std::string name;                    ///< of the numbers: equal names and passes mean equal numbers
  std::shared_ptr<const Trace> trace;  ///< the pass that the numbers are of; null: of none
  PictureOptions picture;
  CellWindow window;
  float max_cell = 44.0F;
  float above = 0.0F;  ///< room over the map for what the caller draws
  std::optional<int> marked_row, marked_col;
};

/// The picture as it was last drawn. Must stay in place: its spec looks at its numbers. Keeps no pass alive.
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

/// The map as a page as high as it is, with its cells as a region. `make` fills the numbers and says how they
/// are drawn; called only if they differ from the last ones in this slot.
Page table_page(PageTools& tools, const std::string& slot, const TableSpec& table,
                const std::function<HeatmapSpec(OwnedMatrix& numbers)>& make, float width, float height);

}  // namespace headscope
