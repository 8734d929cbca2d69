#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/embedded_file.h"
#include "core/lesson/condition.h"
#include "core/lesson/prose.h"
#include "core/session/session.h"

namespace headscope {

/// What a step points at: a control of the window, or a part of the map of a stage.
struct LessonFocus {
  int line = 0;
  std::string text;  ///< As it stands in the lesson.
  enum class Kind { control, cell, row, column, head };
  Kind kind = Kind::control;
  const Setting* setting = nullptr;  ///< The setting of a control.
  StagePlace stage;                  ///< The stage of a cell, a row or a column.
  std::string row, column;           ///< Tokens or indices, as in conditions.
  HeadIndex head;                    ///< The head, by layer and head.
};

/// A reply to an anticipated wrong answer.
struct WrongAnswer {
  Condition when;
  Prose body;
};

/// A question that is answered by doing.
struct LessonQuestion {
  int line = 0;  ///< The line of the file on which it begins.
  Prose prompt;
  Condition expect;
  std::vector<WrongAnswer> wrong;
  Prose hint;    ///< May be empty.
  Prose reveal;  ///< The answer and its reason.
  /// The session that shows the answer. Empty if there is none.
  std::optional<Session> shown;
  std::string
      missing_parts;  ///< A message about what that session needs but does not have. Empty if complete.
};

/// A fact that the text of a step relies on. Checks evaluate it.
struct LessonClaim {
  int line = 0;
  std::string text;
  Condition holds;
};

/// What a step shows.
struct LessonScene {
  LessonScene() = default;
  LessonScene(Session shown) : session(std::move(shown)) {}

  Session session;
  /// A message about what the scene needs but does not have, such as a model. The session is then that of the
  /// step before. Empty if nothing is missing.
  std::string missing_parts;
  bool has_mistake = false;  ///< Its words, or those of the scene that it changes, have a mistake.
  std::shared_ptr<const std::string> picture;  ///< A PNG file to show in its place. Null if there is none.
};

/// A step. Without a scene of its own, it has that of the step before.
struct LessonStep : LessonScene {
  int line = 0;
  std::string title;
  Prose body;
  bool has_scene = false;  ///< It has a scene of its own.
  int scene_line = 0;      ///< The line of that scene, or else of the step.
  std::vector<LessonFocus> focus;
  std::vector<LessonClaim> claims;
  /// The settings whose controls are hidden, and those whose controls are locked.
  std::vector<const Setting*> hidden, locked;
  std::vector<PageName> pages;  ///< The only pages that are offered. Empty for all.
  std::optional<LessonQuestion> question;

  bool hides(const Setting& setting) const { return has(hidden, setting); }
  bool locks(const Setting& setting) const { return has(locked, setting); }
  bool keeps(PageName page) const { return pages.empty() || std::ranges::find(pages, page) != pages.end(); }

 private:
  static bool has(const std::vector<const Setting*>& settings, const Setting& setting) {
    return std::ranges::find(settings, setting.key, &Setting::key) != settings.end();
  }
};

/// A text in steps, each of which opens a scene. Immutable once it has been read.
struct Lesson {
  std::string name;  ///< The file name without its extension.
  std::string file;  ///< The file that it was read from. Empty for a bundled lesson.
  std::string text;  ///< The contents of that file.
  std::string title;
  Prose summary;  ///< The text above the first step.
  std::vector<LessonStep> steps;

  /// What opens it again from any folder: the absolute path of its file or, for a bundled lesson, its name.
  std::string id() const {
    return file.empty() ? name : std::filesystem::absolute(file).lexically_normal().string();
  }
};

/// How far a learner has come: the last step reached in each lesson, from 1, by Lesson::id(). One more than
/// there are if the last one is done.
using LessonProgress = std::map<std::string, int>;

/// A list entry for one of the user's own lessons.
struct UserLesson {
  std::string file;
  std::string title;
  std::string about;        ///< The beginning of the text above its first step, on one line.
  int n_steps = 0;          ///< 0 if unknown.
  bool is_refused = false;  ///< It could not be read when it was last opened.
  bool operator==(const UserLesson&) const = default;
};

/// The bundled lessons in reading order, which is that of the numbers in their names.
std::span<const EmbeddedFile> lesson_files();

/// The lesson with this name, or null if there is none.
const EmbeddedFile* lesson_file(std::string_view name);

}  // namespace headscope
