#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/figure/heatmap.h"
#include "core/result.h"
#include "core/trace/trace.h"

namespace headscope {

/// The heatmap of a stage with its title, formula, shape, axes and scale filled in. The trace must outlive
/// the spec.
HeatmapSpec heatmap_of_stage(const Trace& trace, const StageId& id, const PictureOptions& options);

/// The same without the scale, which depends on every number: nothing is read yet.
HeatmapSpec unscaled_heatmap(const Trace& trace, const StageId& id, const PictureOptions& options);
/// The stages whose statistics the scale of one depends on.
std::vector<StageId> ranged_together(const Trace& trace, const StageId& id, RangeMode range);
/// The scale of a stage, with the other heads' maps where the options ask for them.
ColorScale scale_of_stage(const Trace& trace, const StageId& id, const PictureOptions& options);

/// What a difference shows instead of a formula.
inline constexpr const char* difference_formula = "B − A; hatched: only in B, or hidden";

/// Makes a stage's spec that of the difference to another pass or stage; its scale is the next one.
void show_difference(NumberSourcePtr difference, HeatmapSpec& spec);
/// Diverging about zero, its range `held` (grown where the numbers need it).
ColorScale scale_of_difference(const NumberSource& difference, const PictureOptions& picture, double& held);

/// "Layer 0 · head 3"; "Decoder layer 1 · cross · head 3" where there are two stacks. Empty for a stage of
/// the whole model.
std::string place_text(const Architecture& architecture, const StageId& id);
/// The same for a stage of a pass: with “trained to do this” where its head was.
std::string place_text(const Trace& trace, const StageId& id);
/// "Layer 0 · head 3 · Attention weights".
std::string stage_title(const Trace& trace, const StageId& id);

/// Whether the numbers of a stage follow from weights that were not trained: all but tables of positions that
/// are computed.
bool is_random(const Trace& trace, StageKind kind);

/// Whether a cell is hatched that no cover lies over.
bool shows_hatch(const HeatmapSpec& spec, const HeatmapLayout& layout, const HeatmapCells& cells);

/// What a reader must know about a stage's picture: that its weights are random, what rows and columns are,
/// what is hatched, what is pooled. Empty where there is nothing to say.
std::string stage_note(const HeatmapSpec& spec, const HeatmapLayout& layout, const HeatmapCells& cells,
                       StageKind kind);

/// What a figure of one stage is drawn for, apart from the numbers.
struct PageSpec {
  PictureOptions picture;
  float width = 960.0F, height = 800.0F;  ///< at most; a figure is as large as what it shows
  std::optional<int> marked_token;        ///< its labels in the accent colour
  std::optional<CellIndex> pinned;        ///< outlined in `pinned_stage`
  StageKind pinned_stage = StageKind::weights;
  Cover cover;  ///< of the figure's stage
};

/// One stage, large: title, formula, shape, axes, colour bar and what rows and columns are. An error where
/// the pass has no such stage.
Result<Figure> figure_of_stage(const Trace& trace, const StageId& id, const PageSpec& page,
                               const MeasureText& measure);

/// The same for a heatmap that somebody else filled in (a difference). `kind`: whose map it is, for the note
/// and the marks.
Figure figure_of_heatmap(HeatmapSpec spec, StageKind kind, const PageSpec& page, const MeasureText& measure);

}  // namespace headscope
