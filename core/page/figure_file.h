#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/checkpoint/portable_files.h"
#include "core/figure/figure.h"
#include "core/page/page.h"
#include "core/paint/font_faces.h"
#include "core/paint/metadata.h"
#include "core/session/shown_figure.h"
#include "core/trace/trace.h"

namespace headscope {

enum class FileType { png, svg, pdf, html };

/// Returns a usage error that says why the pass lacks the stage, if it does.
Result<void> check_stage(const Trace& trace, const StageId& id);

/// Page inputs for a session outside the window: nothing is hovered or being trained. `passes` holds a
/// non-null pass for each subject, the edited one first.
PageInputs inputs_of(const Session& session, const std::vector<std::shared_ptr<const Trace>>& passes);

/// The figure of a session, as `render` and the window export it: the page of its view or, in the explorer, a
/// single stage. Fails if the pass lacks the stage, or if a file of the model changed while it was read. Of a
/// page that would be too small to read on its paper, such as a slide, it has the beginning; `left_out` then
/// says so.
Result<Figure> figure_of(const PageInputs& shown, const FigureSize& size, const MeasureText& measure,
                         std::string* left_out = nullptr);
/// The same, but not yet on its paper.
Result<Figure> figure_off_paper(const PageInputs& shown, const FigureSize& size, const MeasureText& measure,
                                std::string* left_out);
/// Centres a figure on a sheet of its paper. Removes the background if `size` asks for transparency.
Figure on_paper(Figure figure, const FigureSize& size);
/// The metadata of a figure's file: the program, the scene with the size of the figure, or why there is none,
/// and what the figure shows beyond the scene.
std::vector<Metadata> metadata_of(const PageInputs& shown, const FigureSize& size);
/// The figure size that a scene holds. Empty if it holds none. It is an error if a value has the wrong type
/// or is out of range.
Result<std::optional<FigureSize>> size_in_scene(std::string_view scene);

/// The bytes of a file with a figure, except for HTML. `size` must be the one that figure_of() was called
/// with.
Result<std::string> figure_bytes(const Figure& figure, FileType type, const FigureSize& size,
                                 FontFaces& fonts, const std::vector<Metadata>& metadata);

/// Returns `usual` with the layout size and scale of a kind of paper.
FigureSize size_on(Paper paper, FigureSize usual);

/// The points per unit of a figure on paper. 1 if a unit is a pixel on the screen.
float points_per_unit(const Figure& figure, Paper paper);

/// The contents of a web page besides the program.
struct PortablePage {
  std::string title;
  std::vector<PortableFile> files;  ///< The first one is opened: a scene, a lesson or a capture.
  std::string missing_parts;        ///< Which models are missing, and why. Empty if none is.
  std::string still;                ///< The picture shown in their place, as SVG.
};

/// Fails if the program's page is neither installed nor in app/web/build of a checkout.
Result<void> check_web_page();

/// The bytes of a self-contained HTML file for current browsers: the program of app/web with the files
/// inside. Fails if the program's page was not built.
Result<std::string> web_page(const PortablePage& page);

/// A page that shows a session: interactive if its models can be included, otherwise as a picture of this
/// size, as high as its contents. Errors also include those of portable_scene() and figure_of().
Result<std::string> web_page(const PageInputs& shown, FigureSize size);

}  // namespace headscope
