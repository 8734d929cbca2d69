#pragma once

#include <memory>
#include <string>

#include "core/lesson/edit_lesson.h"
#include "core/lesson/lesson.h"

namespace headscope {

/// The state of the sheet in which an author writes a step of a lesson of her own.
struct StepForm {
  bool open = false;
  bool takes_focus = false;              ///< whether the title takes the keyboard focus
  std::shared_ptr<const Lesson> lesson;  ///< the lesson as it was when the sheet was opened
  std::size_t step = 0;
  StepWords words;
};

}  // namespace headscope
