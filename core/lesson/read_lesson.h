#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/lesson/lesson.h"
#include "core/result.h"

namespace headscope {

/// The maximum size of a lesson's file, and the maximum number of steps.
inline constexpr std::size_t max_lesson_bytes = std::size_t{1} << 20U;
inline constexpr std::size_t max_lesson_steps = 100;

/// Evaluates a `scene` directive: command-line options that change the scene of the step before or, if the
/// words begin with one, a scene file. Errors are those of the options. A missing model or file is not an
/// error, so that the rest of the lesson can be read; scenes that build on it miss it, too.
using SceneReader = std::function<Result<LessonScene>(const std::string& words, const LessonScene& before)>;

/// The parts of a lesson that could be parsed, and the mistakes in the others.
struct ParsedLesson {
  Lesson lesson;  ///< Complete if there are no mistakes.
  /// Messages, sorted by the lines that they name. The list ends at a mistake that rules out parsing the
  /// rest.
  std::vector<std::string> mistakes;
};

/// Sorts mistakes by the lines that they name.
void sort_by_line(std::vector<std::string>& mistakes);

/// The maximum number of mistakes, after which parsing stops.
inline constexpr std::size_t max_lesson_mistakes = 50;

/// Parses a lesson: Markdown whose first-level heading is the title and whose second-level headings begin the
/// steps. Fenced blocks called scene, focus, ask, holds and controls are directives; see assets/README.md.
/// `name` becomes Lesson::name. Mistakes name the line and say what is possible; exceeding max_lesson_bytes
/// or max_lesson_steps is one, too.
ParsedLesson parse_lesson(const std::string& name, std::string_view text, const SceneReader& scene);

/// Returns the lesson, or an error with the first mistake and the number of the others.
Result<Lesson> lesson_or_error(ParsedLesson reading);

/// The file or name of the lesson that a link (“02-one-head.md”) leads to: a file in the same folder or, if
/// there is none, a bundled lesson. Links never lead out of the folder.
std::string linked_lesson(const Lesson& from, const std::string& address);

/// A list entry for a lesson.
struct LessonOutline {
  std::string title;               ///< Its name if it has no title.
  Prose summary;                   ///< The text above the first step. Empty if it cannot be parsed.
  std::vector<std::string> steps;  ///< The headings of its steps.
};

/// The outline of a lesson, without reading its scenes.
LessonOutline outline_of_lesson(const std::string& name, std::string_view text);

}  // namespace headscope
