#include "core/lesson/lesson.h"

namespace headscope {

const LessonFile* lesson_file(std::string_view name) {
  const auto found = std::ranges::find(lesson_files(), name, &LessonFile::name);
  return found == lesson_files().end() ? nullptr : &*found;
}

}  // namespace headscope
