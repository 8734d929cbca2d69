#pragma once

#include <span>
#include <string_view>

namespace headscope {

/// A lesson as it is in assets/lessons. The build puts these files into the program.
struct LessonFile {
  std::string_view name;
  std::string_view text;
};

/// The lessons of the program in the order in which they are best read: their names begin with numbers.
std::span<const LessonFile> lesson_files();

/// The lesson with this name, or null if there is none.
const LessonFile* lesson_file(std::string_view name);

}  // namespace headscope
