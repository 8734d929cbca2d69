#pragma once

#include <string>
#include <vector>

#include "app/cli/figure_command.h"
#include "core/page/figure_file.h"

namespace headscope {

/// The program that made the file, the command that makes it again, and before it, where there is any, what
/// that leaves out (“Command leaves out”). Where the memory limit cut the pass's sentence, the command has
/// the tokens that were computed, because render refuses a sentence that is too long; no command where these
/// tokens would give another pass.
std::vector<Metadata> metadata_of(const PageInputs& shown, const FigureSize& size, const std::string& out);

}  // namespace headscope
