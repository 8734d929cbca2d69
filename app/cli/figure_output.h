#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "app/cli/command_options.h"
#include "core/page/figure_file.h"
#include "core/page/film.h"

namespace headscope {

/// The file of a figure, as the options name it.
struct FigureOutput {
  std::string out;
  FileType type = FileType::png;
  FigureSize size;
};

/// Reads the file and size from --out, --size, --scale and --page. If no option names a page, a figure that
/// is drawn again keeps its page and size; any other is drawn on `usual`.
FigureOutput figure_output(const CommandOptions& options, const Session& session,
                           std::optional<PageName> usual = {});

/// Computes the passes of a session and returns the inputs of its page. Fails if the figure's stage does not
/// exist.
PageInputs inputs_of_output(const CommandOptions& options, const Session& session,
                            const FigureOutput& output);

/// What there is to say about a file that was written: what it lacks, and which letters no font has.
using Remarks = std::vector<std::string>;

/// Draws the figure, or several as the pages of one PDF, and writes it together with its scene, from which it
/// can be drawn again. All of these functions throw errors, as refuse() does.
Remarks write_output(std::span<const PageInputs> pages, const FigureOutput& output);

/// Writes pages that the function draws as one PDF with a title.
Remarks write_pages(const std::function<Result<std::vector<Figure>>(const MeasureText&)>& draw,
                    const std::string& title, const std::string& out);

/// Prints the remarks on standard error.
void print_remarks(const Remarks& remarks);

/// Fails for a file or a folder into which no film can be written, so that nothing is computed in vain.
void check_film_file(const std::filesystem::path& path, bool is_transparent);

/// Writes a film as WebP or GIF or, if the name has no ending, as numbered PNGs into a new folder. Prints the
/// path; progress goes to standard error.
void write_film(const FilmSteps& steps, int scale, const FilmOptions& film, const std::filesystem::path& path,
                std::ostream& out);

}  // namespace headscope
