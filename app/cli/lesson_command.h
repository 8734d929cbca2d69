#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/lesson/edit_lesson.h"
#include "core/lesson/read_lesson.h"

namespace headscope {

/// Reads the scenes of lessons in the words of the command line. They may name bundled models, and files and
/// model folders inside of `folder`, relative to it. An empty folder means that there are no files.
SceneReader lesson_scenes(const std::filesystem::path& folder);

/// Reads a lesson: one of the program's by its name, a file NAME.md, or the only one in a folder. Errors are
/// those of read_lesson(), with the name of the file.
Result<std::shared_ptr<const Lesson>> open_lesson(const std::string& name_or_file);

/// The mistakes of a lesson, sorted by the lines that they name: mistakes in its text, mistakes that a walk
/// through the lesson finds, and links to missing lessons, with the line of their step or question.
struct CheckedLesson {
  std::size_t n_steps = 0;
  std::vector<std::string> mistakes;
};

/// Checks a lesson that open_lesson() would open. Errors: a name or a file that cannot be opened.
Result<CheckedLesson> checked_lesson(const std::string& name_or_file);

/// Begins a new lesson whose first step shows what the session shows. The lesson gets a folder in `folder`,
/// which contains only the lesson and the scenes of its steps, so that it can be given to a reader as a
/// whole. Both are named after the title, with a number if the name is taken. Returns the lesson as
/// read_lesson() then reads it. Errors: folders and files that cannot be written, and sessions that no scene
/// can hold.
Result<std::shared_ptr<const Lesson>> begin_lesson(const std::filesystem::path& folder,
                                                   const StepWords& introduction, const Session& session);

/// Adds to a lesson a step that shows what the session shows. The new step gets the index `step`, and the
/// steps from that index on move up by one. Returns the lesson as read_lesson() then reads it. Errors: those
/// of change_lesson(), and sessions that no scene can hold.
Result<std::shared_ptr<const Lesson>> add_step(const std::filesystem::path& file, const std::string& before,
                                               std::size_t step, const Session& session);

/// Writes what a session shows as a new scene of a step. The file of the old scene is kept. Returns the
/// lesson as read_lesson() then reads it. Errors: those of add_step().
Result<std::shared_ptr<const Lesson>> replace_scene(const std::filesystem::path& file,
                                                    const std::string& before, std::size_t step,
                                                    const Session& session);

/// Writes `after` into the file of a lesson. Returns the lesson as read_lesson() then reads it. Errors, which
/// leave the file unchanged: files that cannot be read or written, a file that no longer holds `before`, and
/// mistakes in `after`.
Result<std::shared_ptr<const Lesson>> change_lesson(const std::filesystem::path& file,
                                                    const std::string& before, const std::string& after);

/// Whether a name is that of a file with a lesson: NAME.md.
bool is_lesson_file(const std::filesystem::path& file);

}  // namespace headscope
