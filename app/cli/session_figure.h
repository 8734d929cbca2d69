#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/cli/figure_command.h"
#include "core/figure/cairo_painter.h"
#include "core/figure/metadata.h"
#include "core/page/page_inputs.h"
#include "core/trace/trace.h"

namespace headscope {

/// Of the metadata that names what the command of a figure cannot say.
inline constexpr const char* left_out_key = "Command leaves out";

enum class FileType { png, svg, pdf };

/// The figure that a session shows, of its pass: the page of its view, or of the explorer one stage. What
/// `render` writes and what the window exports. An error where the pass has no such stage.
Result<Figure> figure_of(const std::shared_ptr<const Trace>& trace, const Session& session,
                         const FigureSize& size, const MeasureText& measure);
/// The same with what else the window shows on a page: its training, and how many positions are drawn.
Result<Figure> figure_of(const PageInputs& shown, const FigureSize& size, const MeasureText& measure);
/// What of that no command can say; empty where it says all.
std::string left_out_of_page(const PageInputs& shown);

/// The program that made the file, the command that makes it again, and before it, where there is any, what
/// that leaves out (“Command leaves out”). Where the memory limit cut the pass's sentence, the command has
/// the tokens that were computed, because render refuses a sentence that is too long; no command where these
/// tokens would give another pass.
std::vector<Metadata> metadata_of(const Trace& trace, const Session& session, const FigureSize& size,
                                  const std::string& out);

/// `scale`: pixels a figure unit, for PNG.
Result<void> write_figure(const Figure& figure, FileType type, int scale, const std::string& out,
                          const CairoFonts& fonts, const std::vector<Metadata>& metadata);

}  // namespace headscope
