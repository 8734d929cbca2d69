#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// How rotary positions turn: base, share of the dimensions, pairing and scaling. Nothing with other
/// positions.
void rotary_controls(Frame& frame);

}  // namespace headscope
