#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/figure/figure.h"
#include "core/page/page_inputs.h"
#include "core/paint/font_faces.h"
#include "core/paint/metadata.h"
#include "core/session/shown_figure.h"
#include "core/trace/trace.h"

namespace headscope {

enum class FileType { png, svg, pdf, html };

/// Succeeds if the pass has the stage. Otherwise returns a usage error that says why it is missing.
Result<void> check_stage(const Trace& trace, const StageId& id);

/// Page inputs for a session outside the window: nothing is hovered and nothing is being trained. `passes`
/// holds one non-null pass for each subject, beginning with the subject that is being edited.
PageInputs inputs_of(const Session& session, const std::vector<std::shared_ptr<const Trace>>& passes);

/// The figure that a session shows: the page of its view or, in the explorer, a single stage. `render` writes
/// this figure, and the window exports it. Fails if the pass does not have the stage, or if a file of the
/// model changed before everything was read from it.
Result<Figure> figure_of(const PageInputs& shown, const FigureSize& size, const MeasureText& measure);
/// The metadata of the file of a figure: the program that made it, its scene with the size of the figure, or
/// why there is none, and what the figure shows beyond the scene.
std::vector<Metadata> metadata_of(const PageInputs& shown, const FigureSize& size);
/// The size in the scene of a figure. Empty if the scene holds none. It is an error if a value has the wrong
/// type or exceeds its limits.
Result<std::optional<FigureSize>> size_in_scene(std::string_view scene);

/// The bytes of a file, other than HTML, with a figure that figure_of() made. `size` must be the size that
/// was passed to figure_of().
Result<std::string> figure_bytes(const Figure& figure, FileType type, const FigureSize& size,
                                 FontFaces& fonts, const std::vector<Metadata>& metadata);

/// Returns `usual` with the layout size and scale that belong to a kind of paper.
FigureSize size_on(Paper paper, FigureSize usual);

/// Centres a figure on a sheet of its paper. Removes the background if `size` asks for transparency.
Figure on_paper(Figure figure, const FigureSize& size);

/// Number of points on paper for each unit of a figure that on_paper() returned. 1 if a unit is a pixel on
/// the screen.
float points_per_unit(const Figure& figure, Paper paper);

}  // namespace headscope
