#pragma once

#include <string>

#include "app/parts/frame.h"
#include "core/lesson/lesson.h"

namespace headscope {

/// The text of the lesson `from`. A click on a link opens the lesson that it names, or copies an address,
/// because this program opens no browser.
void draw_prose(Frame& frame, const Prose& text, Color color, float size, const Lesson& from);

/// A link to one of the program's lessons, by its name. Draws nothing if there is none of this name.
void lesson_link(Frame& frame, const std::string& name, float size);

}  // namespace headscope
