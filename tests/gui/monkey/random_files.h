#pragma once

#include <filesystem>

#include "tests/gui/monkey/dice.h"

namespace headscope::monkey {

/// A file to drop on the window, in `folder`: a mask that fits `n_tokens`, one that does not, or none at all.
/// It may not exist.
std::filesystem::path random_file(Dice& dice, const std::filesystem::path& folder, int n_tokens);

}  // namespace headscope::monkey
