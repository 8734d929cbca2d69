#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/lesson/lesson.h"
#include "core/result.h"

namespace headscope {

/// The greatest size of a lesson's file, and the most steps that it may have.
inline constexpr std::size_t most_lesson_bytes = std::size_t{1} << 20U;
inline constexpr std::size_t most_lesson_steps = 100;

/// Makes what the words of a `scene` directive describe: options of the command line, which change the
/// scene of the step before, or the file of a scene that they begin with. Errors are those of the options; a
/// model or a file that is not there is no error, so that the rest of the lesson can be read. What changes a
/// scene that lacks something lacks it, too.
using SceneReader = std::function<Result<LessonScene>(const std::string& words, const LessonScene& before)>;

/// The parts of a lesson that could be read, and the mistakes in the others.
struct LessonReading {
  Lesson lesson;  ///< Whole if there are no mistakes.
  /// What could not be read, sorted by the lines that the messages name. A mistake after which nothing can be
  /// told of the rest ends the list.
  std::vector<std::string> mistakes;
};

/// Sorts mistakes by the lines that they name.
void sort_by_line(std::vector<std::string>& mistakes);

/// The most mistakes of a text that are listed. Reading ends with the last of them.
inline constexpr std::size_t most_lesson_mistakes = 50;

/// Reads a lesson: Markdown whose first-level heading is the title and whose second-level headings begin the
/// steps. Fenced blocks called scene, focus, ask, holds and controls are directives; assets/README.md
/// describes them. `name` is what the lesson is called in the program. Mistakes name the line and say what is
/// possible; more than most_lesson_bytes or most_lesson_steps are mistakes, too.
LessonReading lesson_reading(const std::string& name, std::string_view text, const SceneReader& scene);

/// Returns the lesson that was read. If it has mistakes, the error tells the first one, and how many more
/// there are.
Result<Lesson> whole_lesson(LessonReading reading);

/// Reads a lesson. Errors are those of whole_lesson().
Result<Lesson> read_lesson(const std::string& name, std::string_view text, const SceneReader& scene);

/// The name or the file of the lesson to which a link of another lesson leads (“02-one-head.md”): a file in
/// its folder or, if that is not there, a lesson of the program. A link never leads out of the folder.
std::string linked_lesson(const Lesson& from, const std::string& address);

/// What a list says about a lesson.
struct LessonOutline {
  std::string title;               ///< Its name if it has no title.
  Prose summary;                   ///< The text above the first step. Empty if it cannot be read as prose.
  std::vector<std::string> steps;  ///< The headings of its steps.
};

/// The outline of a lesson, without reading what its steps show.
LessonOutline outline_of_lesson(const std::string& name, std::string_view text);

}  // namespace headscope
