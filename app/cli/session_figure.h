#pragma once

#include <string>
#include <vector>

#include "app/cli/render_command_text.h"
#include "core/figure/cairo_painter.h"
#include "core/figure/metadata.h"
#include "core/trace/trace.h"

namespace headscope {

enum class FileType { png, svg, pdf };

/// The figure that `render` makes of a session's pass: what the window exports, too. An error where the pass
/// has no such stage.
Result<Figure> figure_of(const Trace& trace, const Session& session, const FigureChoice& choice,
                         const FigureSize& size, const MeasureText& measure);

/// The program that made the file, and the command that reproduces it. Where the memory limit cut the pass's
/// sentence, the command has the tokens that were computed, because render refuses a sentence that is too
/// long; no command where these tokens would give another pass, or where a batch has a sentence without
/// words.
std::vector<Metadata> metadata_of(const Trace& trace, const Session& session, const FigureChoice& choice,
                                  const FigureSize& size, const std::string& out);

/// `scale`: pixels a figure unit, for PNG.
Result<void> write_figure(const Figure& figure, FileType type, int scale, const std::string& out,
                          const CairoFonts& fonts, const std::vector<Metadata>& metadata);

}  // namespace headscope
