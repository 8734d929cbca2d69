#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// Opens the page of a watched row at its first step and plays it.
void begin_watching(Frame& frame);

/// The line that plays a watched row, slower or faster, and goes to any of its steps.
void watch_controls(Frame& frame);

}  // namespace headscope
