#pragma once

#include <span>
#include <string>

#include "app/cli/command_options.h"
#include "core/page/figure_file.h"

namespace headscope {

/// A figure's file as the options name it.
struct FigureOutput {
  std::string out;
  FileType type = FileType::png;
  FigureSize size;
};

/// The file and size of --out, --size, --scale and --page. `usual`: the page where no option names one.
Result<FigureOutput> figure_output(const CommandOptions& options, const Session& session,
                                   std::optional<PageName> usual = {});

/// The passes of a session with what its page is made from, checked for what the figure shows.
Result<PageInputs> inputs_of_output(const CommandOptions& options, const Session& session,
                                    const FigureOutput& output);

/// Draws the figure and writes it, with the command that makes it again; says on standard error which letters
/// no font has.
Result<void> write_output(const PageInputs& shown, const FigureOutput& output);
/// The same with a page of a PDF for each of several.
Result<void> write_output(std::span<const PageInputs> pages, const FigureOutput& output);

}  // namespace headscope
