#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "app/cli/command_options.h"
#include "core/page/figure_file.h"

namespace headscope {

/// The file of a figure, as the options name it.
struct FigureOutput {
  std::string out;
  FileType type = FileType::png;
  FigureSize size;
};

/// Reads the file and size from --out, --size, --scale and --page. If no option names a page, a figure that
/// is drawn again keeps its page and size; any other is drawn on `usual`.
Result<FigureOutput> figure_output(const CommandOptions& options, const Session& session,
                                   std::optional<PageName> usual = {});

/// Computes the passes of a session and returns the inputs of its page. Fails if the figure's stage does not
/// exist.
Result<PageInputs> inputs_of_output(const CommandOptions& options, const Session& session,
                                    const FigureOutput& output);

/// Draws the figure and writes it together with its scene, from which it can be drawn again. Reports on
/// standard error which characters no font has.
Result<void> write_output(const PageInputs& shown, const FigureOutput& output);
/// Does the same for several figures, each on one page of a PDF.
Result<void> write_output(std::span<const PageInputs> pages, const FigureOutput& output);

/// Writes pages that the function draws as one PDF with a title.
Result<void> write_pages(const std::function<Result<std::vector<Figure>>(const MeasureText&)>& draw,
                         const std::string& title, const std::string& out);

}  // namespace headscope
