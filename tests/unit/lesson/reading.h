#pragma once

#include <string>
#include <string_view>

#include "core/lesson/read_lesson.h"

namespace headscope {

/// Reads a lesson. Errors are those of lesson_or_error().
inline Result<Lesson> read_lesson(const std::string& name, std::string_view text, const SceneReader& scene) {
  return lesson_or_error(parse_lesson(name, text, scene));
}

}  // namespace headscope
