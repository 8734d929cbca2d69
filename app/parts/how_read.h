#pragma once

#include <string>

#include "core/model/mask.h"

namespace headscope {

/// Explains how a mask file was read, "Rows are queries; 1 lets attend …", so that it is not mistaken for the
/// opposite.
std::string how_read(const LoadedMask& mask);

}  // namespace headscope
