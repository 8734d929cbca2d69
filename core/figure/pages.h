#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/figure/heatmap.h"
#include "core/result.h"
#include "core/trace/number_source.h"
#include "core/trace/trace.h"

namespace headscope {

/// The heatmap of a stage with its title, formula, shape, axes and scale. The trace must outlive the spec.
HeatmapSpec heatmap_of_stage(const Trace& trace, const StageId& id, const PictureOptions& options);

/// The same without the scale, which depends on every number. Reads no numbers.
HeatmapSpec unscaled_heatmap(const Trace& trace, const StageId& id, const PictureOptions& options);
/// The stages whose statistics determine the scale of a stage.
std::vector<StageId> stages_sharing_range(const Trace& trace, const StageId& id, RangeMode range);
/// The scale of a stage, over the maps of all heads if the options say so.
ColorScale scale_of_stage(const Trace& trace, const StageId& id, const PictureOptions& options);

/// The formula of a difference.
inline constexpr const char* difference_formula = "B − A; hatched: only in B, or hidden";

/// Turns the spec of a stage into that of a difference from another pass or stage. The scale is
/// scale_of_difference().
void show_difference(NumberSourcePtr difference, HeatmapSpec& spec);
/// Names the tokens of a difference that are another word in A: “tired/wide”.
void name_both(const Comparison& compared, HeatmapSpec& spec);
/// A scale that diverges about zero, with the range `difference_range`, which grows to include the numbers.
ColorScale scale_of_difference(const NumberSource& difference, const PictureOptions& picture,
                               double& difference_range);

/// "Layer 0, head 3 · Attention weights".
std::string stage_title(const Trace& trace, const StageId& id);

/// Whether the numbers of a stage come from untrained weights, unlike computed tables of positions.
bool is_random(const Trace& trace, StageKind kind);

/// Whether a cell that is not covered is hatched.
bool shows_hatch(const HeatmapSpec& spec, const HeatmapLayout& layout, const HeatmapCells& cells);

/// Everything but the numbers that the figure of one stage depends on.
struct PageSpec {
  PictureOptions picture;
  float width = 960.0F, height = 800.0F;  ///< The maximum size. A figure is as large as its contents.
  std::optional<int> marked_token;        ///< The token whose labels have the accent colour.
  std::optional<CellIndex> pinned;        ///< The cell to outline in `pinned_stage`.
  StageKind pinned_stage = StageKind::weights;
  Cover cover;  ///< The cover of the figure's stage.
  bool has_title = true, has_note = true, has_color_bar = true;
  bool fills = false;  ///< The map is as large as the page, even if its cells then are not square.
  float min_number = usual_min_number;  ///< See HeatmapSpec.
};

/// A large figure of one stage: title, formula, shape, axes, colour bar, and note. Fails if the pass lacks
/// the stage.
Result<Figure> figure_of_stage(const Trace& trace, const StageId& id, const PageSpec& page,
                               const MeasureText& measure);

/// The same for the caller's heatmap, such as a difference. `kind` is the kind of its stage, for the note and
/// the marks.
Figure figure_of_heatmap(HeatmapSpec spec, StageKind kind, const PageSpec& page, const MeasureText& measure);

}  // namespace headscope
