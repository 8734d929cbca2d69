#pragma once

#include <string>

#include "core/textbook/worked_example.h"

namespace headscope {

/// Why an example asks for more than a computer does while somebody waits: what is too large, and how large
/// it may be. Empty where it can be computed.
std::string too_large(const WorkedExample& example);

}  // namespace headscope
