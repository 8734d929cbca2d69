#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// The text of the lesson's step with its question, and buttons that lead to the next one. There must be a
/// lesson.
void lesson_panel(Frame& frame);

}  // namespace headscope
