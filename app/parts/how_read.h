#pragma once

#include <string>

#include "core/model/mask.h"

namespace headscope {

/// "Rows are queries; 1 lets attend …": how a mask file was read, so that it is not mistaken for the
/// opposite.
std::string how_read(const LoadedMask& mask);

}  // namespace headscope
