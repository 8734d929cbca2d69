#pragma once

#include <string>

#include "core/textbook/worked_example.h"

namespace headscope {

/// Explains what makes an example too large to compute while somebody waits, and states the limit. Empty if
/// it can be computed.
std::string too_large(const WorkedExample& example);

}  // namespace headscope
