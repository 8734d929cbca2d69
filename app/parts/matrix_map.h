#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/ui/ui.h"
#include "core/figure/heatmap.h"
#include "core/trace/trace.h"

namespace headscope {

/// A picture of a matrix that is not a stage of a pass.
struct MatrixMap {
  std::string name;                    ///< of the numbers: equal names and passes mean equal numbers
  std::shared_ptr<const Trace> trace;  ///< the pass that the numbers are of; null: of none
  PictureOptions picture;
  CellWindow window;
  float max_cell = 44.0F;
  float above = 0.0F;  ///< room over the map for what the caller draws, in design units
  std::optional<int> marked_row, marked_col;
  /// Fills the numbers and says how they are drawn. Called only if they differ from the last frame's.
  std::function<HeatmapSpec(OwnedMatrix& numbers)> make;
};

/// The picture as it was last drawn. Must stay in place: its spec looks at its numbers. Keeps no pass alive.
struct MatrixMapCache {
  std::string name;
  std::weak_ptr<const Trace> trace;
  PictureOptions picture;
  CellWindow window;
  float width = 0.0F, height = 0.0F, above = 0.0F;
  std::optional<int> marked_row, marked_col;
  std::size_t fonts = 0;
  OwnedMatrix numbers;
  HeatmapSpec spec;
  HeatmapLayout layout;
  Figure figure;
};

struct MatrixMapAnswer {
  ImVec2 origin;                  ///< of the layout, on the screen
  std::optional<CellIndex> cell;  ///< under the mouse; outlined
  bool clicked = false;
};

/// Draws the map at ImGui's cursor. Size in ImGui pixels, at most: the item is as high as the map.
MatrixMapAnswer matrix_map(Ui& ui, MatrixMapCache& cache, const MatrixMap& map, ImVec2 size);

}  // namespace headscope
