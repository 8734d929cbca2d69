#pragma once

#include <string>
#include <vector>

#include "app/cli/figure_command.h"
#include "core/page/figure_file.h"

namespace headscope {

/// The metadata of a figure: the program that made the file, what the command leaves out, if anything
/// (“Command leaves out”), and the command that makes the figure again. If the memory limit cut the sentence,
/// the command has the tokens that were computed, because render refuses a sentence that is too long. There
/// is no command if these tokens alone would give a different pass.
std::vector<Metadata> metadata_of_command(const PageInputs& shown, const FigureSize& size,
                                          const std::string& out);

/// The scene that a figure shows, or why it holds none.
Metadata metadata_of_scene(const Session& session);

/// Both together.
std::vector<Metadata> metadata_of(const PageInputs& shown, const FigureSize& size, const std::string& out);

}  // namespace headscope
