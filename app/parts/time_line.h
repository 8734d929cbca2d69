#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// Whether the session leads through captures that a program pushed, and the sentence has their time line
/// below it.
bool has_time_line(const Frame& frame);

/// The height of time_line() in design units.
inline constexpr float time_line_height = 44.0F;

/// The line below the sentence that goes back and forth through what was pushed, plays it, and follows it
/// again.
void time_line(Frame& frame);

/// Shows the snapshot at this place of the film. The last one is followed again.
void look_back_to(Frame& frame, std::size_t at);

/// A slider that goes back through the film, and a button that plays it, which keep their places before there
/// is one.
void look_back_slider(Frame& frame);
void film_button(Frame& frame, float width);

}  // namespace headscope
