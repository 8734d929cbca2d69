#pragma once

#include <cstddef>
#include <string>

#include "app/parts/frame.h"

namespace headscope {

/// Writes another text into the file of the open lesson and goes to one of its steps. The previous text can
/// be brought back.
void write_lesson(Frame& frame, std::string text, std::size_t step);

/// The links below a step of a lesson that was opened from a file, with which it is written and rearranged.
/// Their height in ImGui pixels is always the same.
void author_links(Frame& frame);
float author_links_height(const Ui& ui);

}  // namespace headscope
