#pragma once

#include <optional>

#include "core/session/names.h"
#include "core/session/paper.h"
#include "core/session/session.h"

namespace headscope {

/// Width and height of the page, in figure units, and pixels of a PNG per unit, or per point of a paper (1 to
/// 4).
struct FigureSize {
  int width = 960;
  int height = 800;
  int scale = 2;
  /// The explorer as a whole, the inspector, or a worksheet, which share a view with the explorer's large
  /// map; nothing: what the session's view shows, in the explorer the large map alone.
  std::optional<PageName> page = {};
  Paper paper = Paper::page;    ///< another one says width and height
  bool is_transparent = false;  ///< without a ground
};

/// Which figure of a pass.
struct FigureChoice {
  std::optional<StageKind> stage = StageKind::weights;  ///< nothing: all stages of one head on a page
  std::optional<int> head = 0;                          ///< nothing: all heads, one stage
  StageId place;                                        ///< stack, layer and attention of either
  std::optional<int> row;  ///< its label marked; with `column`, the cell outlined
  std::optional<int> column;
  bool diagram = false;  ///< the model's diagram instead, the layer of `place` unfolded

  /// The stage of the figure, or one of its stages.
  StageId main_stage() const;
  /// The default page size: all stages need a taller one.
  FigureSize usual_size() const;
};

/// The stage that the selected page is about.
StageKind exported_stage(const Session& session);

/// What the selected page shows: one stage, all heads, all stages of a head, or the diagram, with what is
/// pinned or selected marked.
FigureChoice shown_figure(const Session& session);

}  // namespace headscope
