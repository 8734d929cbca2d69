#pragma once

#include <filesystem>

#include "tests/gui/monkey/dice.h"

namespace headscope::monkey {

/// The path of a file in `folder` to drop on the window: a mask that fits `n_tokens`, a mask that does not
/// fit, or no mask at all. The file may not exist.
std::filesystem::path random_file(Dice& dice, const std::filesystem::path& folder, int n_tokens);

}  // namespace headscope::monkey
