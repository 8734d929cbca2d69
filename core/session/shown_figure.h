#pragma once

#include <optional>

#include "core/session/names.h"
#include "core/session/paper.h"
#include "core/session/session.h"

namespace headscope {

/// The width and height of the page in figure units, and the number of PNG pixels (1 to 4) for each unit, or
/// for each point of a paper.
struct FigureSize {
  int width = 960;
  int height = 800;
  int scale = 2;
  /// The page, which may be the explorer as a whole, the inspector or a worksheet; these share a view with
  /// the explorer's large map. If nullopt, it is what the session's view shows, and in the explorer only the
  /// large map.
  std::optional<PageName> page = {};
  Paper paper = Paper::page;    ///< Any paper other than `page` determines width and height.
  bool is_transparent = false;  ///< True if the figure has no background.
};

/// Selects a figure of a pass.
struct FigureChoice {
  std::optional<StageKind> stage = StageKind::weights;  ///< If nullopt, all stages of one head on a page.
  std::optional<int> head = 0;                          ///< If nullopt, one stage of all heads.
  StageId place;                                        ///< The stack, layer and attention in either case.
  /// The row whose label is marked. Together with `column`, the cell that is outlined.
  std::optional<int> row;
  std::optional<int> column;
  /// If true, the model's diagram instead, with the layer of `place` unfolded.
  bool diagram = false;

  /// Returns the stage of the figure, or one of its stages.
  StageId main_stage() const;
  /// Returns the default page size, which is taller for all stages.
  FigureSize usual_size() const;
};

/// Returns the stage that the selected page shows.
StageKind exported_stage(const Session& session);

/// Returns the figure that the selected page shows: one stage, all heads, all stages of a head, or the
/// diagram, with anything pinned or selected marked.
FigureChoice shown_figure(const Session& session);

}  // namespace headscope
