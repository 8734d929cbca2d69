#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// Whether the session has a series of pushed captures, whose time line stands below the sentence.
bool has_time_line(const Frame& frame);

/// The height of time_line() in design units.
inline constexpr float time_line_height = 44.0F;

/// The time line: it scrubs through pushed captures, plays them, and returns to the newest.
void time_line(Frame& frame);

/// Shows a snapshot of the film. The last one resumes following the newest.
void show_snapshot(Frame& frame, std::size_t at);

/// A slider that scrubs through the film, and a button that plays it. Both keep their space while there is no
/// film.
void snapshot_slider(Frame& frame);
void film_button(Frame& frame, float width);

}  // namespace headscope
