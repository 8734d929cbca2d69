#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// Opens the sheet in which the author writes the step that is shown.
void write_this_step(Frame& frame);

/// The links below a step of a lesson that was opened from a file, with which it is written and rearranged.
/// Their height in ImGui pixels is always the same.
void author_links(Frame& frame);
float author_links_height(const Frame& frame);

}  // namespace headscope
