#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/lesson/edit_lesson.h"
#include "core/lesson/read_lesson.h"

namespace headscope {

/// Reads a lesson: a bundled one by its name, a file NAME.md, or the only one in a folder. Errors: those of
/// lesson_or_error(), with the file's name.
Result<std::shared_ptr<const Lesson>> open_lesson(const std::string& name_or_file);

/// Checks a lesson that open_lesson() would open. Returns it with its mistakes: in its text, in a walk
/// through it, and links to missing lessons, at the line of their step or question. Errors: a name or a file
/// that cannot be opened.
Result<ParsedLesson> check_lesson(const std::string& name_or_file);

/// Creates a lesson whose first step shows the session. It gets a self-contained folder in `folder`, which
/// can be handed to readers. Both are named after the title, with a number if the name is taken. Returns the
/// lesson as read back. Errors: folders and files that cannot be written, and sessions that no scene can
/// hold.
Result<std::shared_ptr<const Lesson>> create_lesson(const std::filesystem::path& folder,
                                                    const StepText& introduction, const Session& session);

/// Inserts a step that shows the session before the step with index `step` if it `is_new`. Otherwise gives
/// that step a new scene, which shows the session, and keeps the old scene's file. Returns the lesson as read
/// back. Errors: those of update_lesson(), and sessions that no scene can hold.
Result<std::shared_ptr<const Lesson>> write_step(const std::filesystem::path& file, const std::string& before,
                                                 std::size_t step, bool is_new, const Session& session);

/// Replaces the text `before` of a lesson's file by `after`. Returns the lesson as read back. Errors, which
/// leave the file unchanged: files that cannot be read or written or no longer hold `before`, and mistakes in
/// `after`.
Result<std::shared_ptr<const Lesson>> update_lesson(const std::filesystem::path& file,
                                                    const std::string& before, const std::string& after);

/// Whether a name is that of a file with a lesson: NAME.md.
bool is_lesson_file(const std::filesystem::path& file);

}  // namespace headscope
