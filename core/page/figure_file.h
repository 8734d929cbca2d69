#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/figure/cairo_painter.h"
#include "core/figure/metadata.h"
#include "core/page/page_inputs.h"
#include "core/session/shown_figure.h"
#include "core/trace/trace.h"

namespace headscope {

enum class FileType { png, svg, pdf };

/// A usage error that says why, where the pass has no such stage.
Result<void> check_stage(const Trace& trace, const StageId& id);

/// What a page of a session is made from that nothing else is known of: its subjects' passes, of the one that
/// is edited first. They must be there.
PageInputs inputs_of(const Session& session, const std::vector<std::shared_ptr<const Trace>>& passes);

/// The figure that a session shows, of its passes: the page of its view, or of the explorer one stage. What
/// `render` writes and what the window exports. An error where a pass has no such stage.
Result<Figure> figure_of(const PageInputs& shown, const FigureSize& size, const MeasureText& measure);
/// What of that no command can say; empty where it says all.
std::string left_out_of_page(const PageInputs& shown);

/// A figure of this size, as figure_of() made it.
Result<void> write_figure(const Figure& figure, FileType type, const FigureSize& size, const std::string& out,
                          const CairoFonts& fonts, const std::vector<Metadata>& metadata);

}  // namespace headscope
