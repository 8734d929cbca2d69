#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/figure/heatmap.h"
#include "core/result.h"
#include "core/trace/trace.h"

namespace headscope {

/// The heatmap of a stage with its title, formula, shape, axes and scale. The trace must outlive the spec.
HeatmapSpec heatmap_of_stage(const Trace& trace, const StageId& id, const PictureOptions& options);

/// The same without the scale, which depends on every number. No numbers are read.
HeatmapSpec unscaled_heatmap(const Trace& trace, const StageId& id, const PictureOptions& options);
/// The stages whose statistics determine the scale of a stage.
std::vector<StageId> ranged_together(const Trace& trace, const StageId& id, RangeMode range);
/// The scale of a stage. It includes the maps of other heads if the options ask for it.
ColorScale scale_of_stage(const Trace& trace, const StageId& id, const PictureOptions& options);

/// Replaces the formula of a difference.
inline constexpr const char* difference_formula = "B − A; hatched: only in B, or hidden";

/// Turns the spec of a stage into that of a difference to another pass or stage. Its scale is
/// scale_of_difference().
void show_difference(NumberSourcePtr difference, HeatmapSpec& spec);
/// A scale that diverges about zero. Its range is `held`, which is increased if the numbers exceed it.
ColorScale scale_of_difference(const NumberSource& difference, const PictureOptions& picture, double& held);

/// "Layer 0, head 3 · Attention weights".
std::string stage_title(const Trace& trace, const StageId& id);

/// Whether the numbers of a stage follow from untrained weights. This excludes tables of positions that are
/// computed.
bool is_random(const Trace& trace, StageKind kind);

/// Whether a cell that is not covered is hatched.
bool shows_hatch(const HeatmapSpec& spec, const HeatmapLayout& layout, const HeatmapCells& cells);

/// What a reader must know about the picture of a stage: that its weights are random, what rows and columns
/// are, and which cells are hatched or pooled. Empty if there is nothing to say.
std::string stage_note(const HeatmapSpec& spec, const HeatmapLayout& layout, const HeatmapCells& cells,
                       StageKind kind);

/// Everything except the numbers that the figure of one stage depends on.
struct PageSpec {
  PictureOptions picture;
  float width = 960.0F, height = 800.0F;  ///< The greatest size. A figure is as large as its contents.
  std::optional<int> marked_token;        ///< The token whose labels have the accent colour.
  std::optional<CellIndex> pinned;        ///< The cell to outline in `pinned_stage`.
  StageKind pinned_stage = StageKind::weights;
  Cover cover;  ///< The cover of the figure's stage.
  bool has_title = true, has_note = true, has_color_bar = true;
};

/// A large figure of one stage: title, formula, shape, axes, colour bar, and what rows and columns are. Fails
/// if the pass does not have the stage.
Result<Figure> figure_of_stage(const Trace& trace, const StageId& id, const PageSpec& page,
                               const MeasureText& measure);

/// The same for a heatmap that the caller filled in, such as a difference. `kind` is the kind of stage that
/// it shows, which the note and the marks need.
Figure figure_of_heatmap(HeatmapSpec spec, StageKind kind, const PageSpec& page, const MeasureText& measure);

}  // namespace headscope
